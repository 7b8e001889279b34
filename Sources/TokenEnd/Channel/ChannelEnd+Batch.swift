// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// Several commands in one (GSC/1, 13.4).
extension ChannelEnd {
    /// Executes the commands in order and gives their replies: `B1 L <data ‖ SW1 SW2>` each. With P1 = 20 a command that
    /// fails is the last.
    func executeBatch(_ command: borrowing Command, in session: Session) throws(Refusal) -> Response {
        guard let batch = try? Batch(command.data.bytes) else { throw Refusal(.incorrectData) }
        try require(
            batch.commands.count <= Batch.maximumCount && batch.greatestReply <= maximumReply(session),
            else: .wrongLength)
        var replies: [UInt8] = []
        for range in batch.commands {
            guard let inner = try? Command(parsing: command.data.bytes.extracting(range)) else { break }
            let reply = executeSimple(inner, in: session, limit: inner.ne ?? 0)
            replies.appendObject(0xB1, reply.encoded)
            if command.p1 == 0x20, reply.status != .success, reply.status.bytesAvailable == nil { break }
        }
        return Response(.success, data: replies)
    }
}

/// The commands of a batch: `B0 L <command APDU>` each, all of them permitted in batches.
private struct Batch {
    static let maximumCount = 16

    /// The ranges of the APDUs.
    let commands: [Range<Int>]
    /// The length of the replies if every command gives all that it may.
    let greatestReply: Int

    init(_ bytes: Span<UInt8>) throws {
        var cursor = ByteCursor([UInt8](copying: bytes))
        var commands: [Range<Int>] = []
        var greatestReply = 0
        while !cursor.isAtEnd {
            let apdu = try cursor.object(0xB0)
            let end = bytes.count - cursor.count
            let command = try Command(parsing: apdu.span)
            guard Batch.isAllowed(command), Batch.isShort(apdu) else { throw MalformedCommand() }
            commands.append(end - apdu.count..<end)
            greatestReply += Batch.objectLength((command.ne ?? 0) + 2)
        }
        guard !commands.isEmpty else { throw MalformedCommand() }
        self.commands = commands
        self.greatestReply = greatestReply
    }

    /// No protection, no channel, no chain, none of the channel's own commands that change it.
    private static func isAllowed(_ command: borrowing Command) -> Bool {
        (command.cla == 0x00 || command.cla == 0x80) && command.ins != 0x86
            && !(command.cla == 0x80 && command.ins == 0xE4 && command.p1 == 0x47)
    }

    /// Whether the length fields have one byte.
    private static func isShort(_ apdu: [UInt8]) -> Bool { apdu.count <= 5 || apdu[4] != 0 }

    private static func objectLength(_ count: Int) -> Int { count + (count < 0x80 ? 2 : count <= 0xFF ? 3 : 4) }
}
