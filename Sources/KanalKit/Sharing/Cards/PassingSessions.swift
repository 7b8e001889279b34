// SPDX-License-Identifier: Apache-2.0
package import APDU
import Secrets

/// The sessions at a token that is carried through, by what a share can see of them: headers of commands, the data by which
/// a session is opened, and status words of protected responses (GSC/1, 10, 11.2 and 13.1).
///
/// The token has verified a command before its response reports success. So a far side without a pairing opens no
/// session here, and logs in to none.
package struct PassingSessions {
    /// The host and the process that opened each session, by its channel.
    private var owners: [UInt8: [UInt8]] = [:]
    /// The bytes of the last OPEN-1 that the token has accepted.
    private var candidate: [UInt8]?
    /// Whether the token has one session at a time.
    private var isSingle = true
    private var sent = Sent()
    /// The last bytes of its response: a status word and a tag, or the number of a channel.
    private var tail: [UInt8] = []
    /// Whether a host has logged in, or has sent several commands in one, which may contain a login.
    package private(set) var wereOfUse = false

    private struct Sent {
        var cla: UInt8 = 0, ins: UInt8 = 0, p1: UInt8 = 0, p2: UInt8 = 0
        /// Of a plain OPEN-1.
        var owner: [UInt8]?
        /// Whether the length of its data is hidden, as a PIN's has to be.
        var isPadded = false

        var isProtected: Bool { cla & 0x0C == 0x0C }
        var channel: UInt8 { cla & 0x03 }
    }

    /// Objects 99 and 8E: the status word, and a tag of eight bytes.
    private static let tailLength = 14

    package init() {}

    /// The number of open sessions.
    package var open: Int { owners.count }

    /// The token was reset.
    package mutating func end() {
        owners = [:]
        candidate = nil
    }

    /// Follows a command that went to the token, and its response.
    ///
    /// - Parameter isRest: Whether the command asks for more of the response to the one before.
    package mutating func follow(_ command: borrowing Command, isRest: Bool, _ response: Response) {
        if !isRest {
            sent = Sent(cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2)
            let data = [UInt8](copying: command.data)
            sent.owner = Self.owner(data)
            var cursor = ByteCursor(data)
            sent.isPadded = (try? cursor.object(0x87))?.first == 0x01
            tail = []
        }
        tail = Array((tail + response.data).suffix(Self.tailLength))
        guard response.status.bytesAvailable == nil else { return }
        guard response.status == .success else { return lose(response.status) }
        if sent.isProtected { followProtected() } else { followPlain() }
    }

    /// ID_H and INST of OPEN-1, and nothing for data of another form.
    private static func owner(_ data: [UInt8]) -> [UInt8]? {
        var cursor = ByteCursor(data)
        guard let body = try? cursor.object(0x7C) else { return nil }
        var objects = ByteCursor(body)
        var owner: [UInt8] = []
        while !objects.isAtEnd {
            guard let object = try? objects.object() else { return nil }
            if object.tag == 0x81 || object.tag == 0x83 { owner += object.value }
        }
        return owner
    }

    /// A plain status word in response to a protected command may say that the token has no such session.
    private mutating func lose(_ status: StatusWord) {
        guard sent.isProtected else { return }
        guard status == .conditionsNotSatisfied || isSingle && status == .secureMessagingIncorrect else { return }
        owners[sent.channel] = nil
    }

    private mutating func followPlain() {
        switch (sent.ins, sent.p1) {
        case (0x86, 0x03): candidate = sent.owner
        case (0x86, 0x04):
            guard let owner = candidate else { return }
            candidate = nil
            isSingle = tail.isEmpty
            // It replaces the process's former session, or of the only one.
            owners = isSingle ? [:] : owners.filter { $0.value != owner }
            owners[tail.last ?? 0] = owner
        default: break
        }
    }

    private mutating func followProtected() {
        guard tail.count == Self.tailLength, tail.starts(with: [0x99, 2, 0x90, 0x00, 0x8E, 8]) else { return }
        // A link of a chain is not the command yet: its class differs.
        switch (sent.cla & 0x90, sent.ins, sent.p1) {
        case (0x00, 0x20, _): wereOfUse = true
        case (0x80, 0x86, 0x20), (0x80, 0x86, 0x21): wereOfUse = wereOfUse || sent.isPadded
        case (0x80, 0x86, 0x0F): owners[sent.channel] = nil
        case (0x80, 0x86, 0x1F): owners = [:]
        default: break
        }
    }
}
