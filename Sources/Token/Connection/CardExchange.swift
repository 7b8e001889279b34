// SPDX-License-Identifier: Apache-2.0
package import APDU
import Secrets

/// A command that a card has answered, as far as a log may tell of it: no data.
package struct CardExchange: Sendable {
    /// CLA, INS, P1 and P2.
    package let header: UInt32
    /// The path of the file that was selected last, two bytes for each command.
    package let file: [UInt8]
    package let status: StatusWord

    init(_ header: (cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8), file: [UInt8], status: StatusWord) {
        self.header = [header.cla, header.ins, header.p1, header.p2].reduce(0) { $0 << 8 | UInt32($1) }
        self.file = file
        self.status = status
    }
}

extension Transaction {
    /// Notes the answer to a command.
    func note(_ command: borrowing Command, _ status: StatusWord) {
        let file = command.ins == 0xA4 ? [UInt8](copying: command.data.bytes) : nil
        note((command.cla, command.ins, command.p1, command.p2), selecting: file, status)
    }

    /// Notes the answers to commands of a batch.
    func note(_ commands: some Collection<CardCommand>, _ responses: [Response]) {
        for (command, response) in zip(commands, responses) {
            note(command.header, selecting: command.header.ins == 0xA4 ? command.bytes : nil, response.status)
        }
    }

    private func note(
        _ header: (cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8), selecting file: [UInt8]?, _ status: StatusWord
    ) {
        let file = file ?? session.progress.lastExchange?.file ?? []
        session.progress.lastExchange = CardExchange(header, file: file, status: status)
    }
}
