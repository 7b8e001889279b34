// SPDX-License-Identifier: Apache-2.0

import APDU
import Glibc
import Locking
import Secrets
package import TokenEnd
import Translation

/// The share's own end of a channel, before a token that has none.
package final class TerminatingCard: RemoteCard {
    private let card: SharedCard
    private let interface: CardInterface

    /// The channel that the share offers: the channel on every reader, sessions of which the last counts, and batches,
    /// with replies that have room for all that 16 commands read.
    package static var offer: ChannelOffer {
        var offer = ChannelOffer()
        offer.endsOthers = true
        offer.maximumReply = 4096
        return offer
    }

    package init(_ card: SharedCard, offer: ChannelOffer = TerminatingCard.offer) {
        self.card = card
        interface = CardInterface(card, offer: offer)
    }

    package var isLost: Bool { card.condition.loss != nil }

    package func reset() {
        interface.reset()
        card.settle()
    }

    package func answer(_ apdu: [UInt8]) -> [UInt8]? {
        let response = interface.process(apdu.span)
        card.settle()
        return isLost ? nil : response
    }
}
