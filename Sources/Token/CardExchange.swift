public import APDU
import Secrets

/// A command that a card has answered, as far as a log may tell of it: no data.
public struct CardExchange: Sendable {
    /// CLA, INS, P1 and P2.
    public let header: UInt32
    /// The path of the file that was selected last, two bytes for each step.
    public let file: [UInt8]
    public let status: StatusWord

    init(_ header: (cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8), file: [UInt8], status: StatusWord) {
        self.header = [header.cla, header.ins, header.p1, header.p2].reduce(0) { $0 << 8 | UInt32($1) }
        self.file = file
        self.status = status
    }
}

extension Token {
    /// Notes what a command was answered.
    func note(_ command: borrowing Command, _ status: StatusWord) {
        let file = command.ins == 0xA4 ? [UInt8](copying: command.data.bytes) : nil
        note((command.cla, command.ins, command.p1, command.p2), selecting: file, status)
    }

    /// Notes what commands of a batch were answered.
    func note(_ steps: some Collection<Step>, _ responses: [Response]) {
        for (step, response) in zip(steps, responses) {
            note(step.header, selecting: step.header.ins == 0xA4 ? step.bytes : nil, response.status)
        }
    }

    private func note(
        _ header: (cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8), selecting file: [UInt8]?, _ status: StatusWord
    ) {
        lastExchange = CardExchange(header, file: file ?? lastExchange?.file ?? [], status: status)
    }
}
