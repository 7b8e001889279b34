// SPDX-License-Identifier: Apache-2.0
package import APDU
import Locking
import Secrets
package import TokenEnd

/// The card in the far reader.
package protocol FarCard: AnyObject {
    /// The far reader took the power from the card, or reset it.
    func reset()

    /// The answer to a command APDU; nil if the token was lost with it.
    func answer(_ apdu: [UInt8]) -> [UInt8]?
}

/// The share's own end of a channel, before a token that has none.
package final class TerminatingCard: FarCard {
    private let card: SharedCard
    private let interface: CardInterface

    /// The channel that the share offers: the channel on every reader, sessions of which the last counts, and batches.
    package static var offer: ChannelOffer {
        var offer = ChannelOffer()
        offer.endsOthers = true
        return offer
    }

    package init(_ card: SharedCard) {
        self.card = card
        interface = CardInterface(card, offer: Self.offer)
    }

    package func reset() {
        interface.reset()
        card.settle()
    }

    package func answer(_ apdu: [UInt8]) -> [UInt8]? {
        let response = interface.process(apdu.span)
        card.settle()
        return card.condition.loss == nil ? response : nil
    }
}

/// A token that has a channel: only what belongs to the channel goes to it (GSC/1, 6 and 13).
package final class PassingCard: FarCard {
    private let card: any OwnedCard
    private let report: @Sendable (ShareEvent) -> Void
    /// Whether the token has more of its last answer.
    private var hasMore = false
    private var isUsed = false
    private var isLost = false

    package init(_ card: any OwnedCard, report: @escaping @Sendable (ShareEvent) -> Void) {
        self.card = card
        self.report = report
    }

    package func reset() {
        hasMore = false
        guard isUsed, !isLost else { return }
        isUsed = false
        isLost = (try? card.reset()) == nil
    }

    package func answer(_ apdu: [UInt8]) -> [UInt8]? {
        guard let command = try? Command(parsing: apdu.span) else { return Response(.wrongLength).encoded }
        guard Self.passes(command) || hasMore && Self.isGetResponse(command) else {
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
