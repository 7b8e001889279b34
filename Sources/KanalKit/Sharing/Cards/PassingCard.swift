// SPDX-License-Identifier: Apache-2.0

package import APDU
import Glibc
import Locking
import Secrets
import TokenEnd
import Translation

/// A token that has a channel: only what belongs to the channel goes to it (GSC/1, 6 and 13).
package final class PassingCard: RemoteCard {
    private let card: any OwnedCard
    private let report: @Sendable (Share.Event) -> Void
    private let follow: (PassingSessions) -> Void
    private var sessions = PassingSessions()
    /// Whether the token has more of its last answer.
    private var hasMore = false
    private var isUsed = false
    package private(set) var isLost = false

    /// - Parameter follow: Receives the state of the sessions after each command and reset.
    package init(
        _ card: any OwnedCard, report: @escaping @Sendable (Share.Event) -> Void,
        follow: @escaping (PassingSessions) -> Void = { _ in }
    ) {
        self.card = card
        self.report = report
        self.follow = follow
    }

    package func reset() {
        hasMore = false
        sessions.end()
        follow(sessions)
        guard isUsed, !isLost else { return }
        isUsed = false
        isLost = (try? card.reset()) == nil
    }

    package func answer(_ apdu: [UInt8]) -> [UInt8]? {
        guard let command = try? Command(parsing: apdu.span) else { return Response(.wrongLength).encoded }
        let isRest = hasMore && Self.isGetResponse(command)
        guard isRest || Self.passes(command) else {
            report(.refusedPlain([command.cla, command.ins, command.p1, command.p2]))
            return Response(.securityStatusNotSatisfied).encoded
        }
        guard !isLost else { return nil }
        isUsed = true
        guard let response = try? card.transmit(command) else {
            isLost = true
            return nil
        }
        hasMore = response.status.bytesAvailable != nil
        sessions.follow(command, isRest: isRest, response)
        follow(sessions)
        return response.encoded
    }

    private static func isGetResponse(_ command: borrowing Command) -> Bool {
        command.cla & ~0x03 == 0x00 && command.ins == 0xC0 && command.p1 == 0 && command.p2 == 0
            && command.data.isEmpty
    }

    /// Discovery, pairing, opening, and commands in the form of protected ones.
    private static func passes(_ command: borrowing Command) -> Bool {
        switch (command.cla, command.ins, command.p1) {
        case (0x80, 0xCA, 0x47): return command.p2 <= 6 && command.data.isEmpty
        case (0x80, 0x86, 0x01...0x04): return true
        default: return command.cla & 0x6C == 0x0C && isProtected([UInt8](copying: command.data))
        }
    }

    /// Objects 87, 97 and 8E and nothing else: a command that merely claims to be protected has parts in clear.
    private static func isProtected(_ body: [UInt8]) -> Bool {
        var cursor = ByteCursor(body)
        var tags: [UInt8] = []
        while !cursor.isAtEnd {
            guard tags.count < 3, let object = try? cursor.object() else { return false }
            if object.tag == 0x8E, object.value.count != 8 { return false }
            tags.append(object.tag)
        }
        return [[0x87, 0x97, 0x8E], [0x87, 0x8E], [0x97, 0x8E], [0x8E]].contains(tags)
    }
}
