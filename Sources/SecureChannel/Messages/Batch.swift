// SPDX-License-Identifier: Apache-2.0

package import APDU
import Secrets

/// Commands that travel as one (GSC/1, 13.4): one round trip instead of one each.
///
/// The batch can run twice without harm if each of its commands can.
package struct Batch: ~Copyable, Sendable {
    /// Whether the token goes on after a command that it refused.
    package let goesOn: Bool
    /// The number of commands.
    package private(set) var count = 0
    /// B0 L command, for each.
    private(set) var content = Secret(count: 0)
    /// The greatest possible length of the reply.
    private(set) var replyLength = 0
    /// Whether all commands may be in a batch.
    private(set) var isAllowed = true

    package init(goesOn: Bool = false) { self.goesOn = goesOn }

    /// Adds a command. Its Ne should be exact, because the token refuses a batch whose reply could become too long.
    package mutating func append(_ command: borrowing Command) {
        count += 1
        guard Batch.allows(command), let encoded = try? command.encoded() else {
            isAllowed = false
            return
        }
        var head: [UInt8] = [0xB0]
        head.appendDERLength(encoded.count)
        content = content.appending(head.span).appending(encoded.bytes)
        var reply: [UInt8] = [0xB1]
        reply.appendDERLength((command.ne ?? 0) + 2)
        replyLength += reply.count + (command.ne ?? 0) + 2
    }

    /// Short, of CLA 00 or 80, and neither a command of the channel's own nor a command that ends a pairing.
    private static func allows(_ command: borrowing Command) -> Bool {
        guard !command.isExtended, command.cla == 0x00 || command.cla == 0x80, command.ins != 0x86 else { return false }
        return !(command.cla == 0x80 && command.ins == 0xE4 && command.p1 == 0x47)
    }

    /// The command that carries the batch.
    var command: Command {
        Command(0x80, 0x86, goesOn ? 0x21 : 0x20, 0x00, data: content.copy(), ne: max(replyLength, 256))
    }
}

extension Batch {
    /// Reads B1 L data ‖ SW1 SW2, for at least one command and at most `count`.
    static func replies(in data: [UInt8], to count: Int) throws(MalformedBytes) -> [Response] {
        var cursor = ByteCursor(data)
        var replies: [Response] = []
        while !cursor.isAtEnd {
            guard let reply = Response(parsing: try cursor.object(0xB1)) else { throw MalformedBytes() }
            replies.append(reply)
        }
        guard (1...count).contains(replies.count) else { throw MalformedBytes() }
        return replies
    }
}

extension Command {
    /// Whether the data hold a PIN, whose length must not show (GSC/1, 13.2): VERIFY, CHANGE REFERENCE DATA, RESET RETRY
    /// COUNTER, PUT DATA of a default PIN, and a batch with one of them.
    var carriesPIN: Bool {
        if ins == 0x86, p1 == 0x20 || p1 == 0x21 { return batchCarriesPIN }
        return !data.isEmpty && Command.takesPIN(ins, p1, p2)
    }

    private static func takesPIN(_ ins: UInt8, _ p1: UInt8, _ p2: UInt8) -> Bool {
        switch (ins, p1, p2) {
        case (0x20, _, _), (0x24, _, _), (0x2C, _, _), (0xDA, 0x01, 0x61): true
        default: false
        }
    }

    /// Whether a command in the batch (13.4) has a PIN. Malformed data counts as if it had.
    private var batchCarriesPIN: Bool {
        var rest = data.bytes
        while rest.count >= 2, rest[0] == 0xB0 {
            let isLong = rest[1] == 0x81 && rest.count >= 3
            let head = isLong ? 3 : 2
            let count = Int(isLong ? rest[2] : rest[1])
            guard isLong || rest[1] < 0x80, count >= 4, head + count <= rest.count else { return true }
            if count > 5, Command.takesPIN(rest[head + 1], rest[head + 2], rest[head + 3]) { return true }
            rest = rest.extracting(droppingFirst: head + count)
        }
        return !rest.isEmpty
    }
}
