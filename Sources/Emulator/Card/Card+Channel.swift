// SPDX-License-Identifier: Apache-2.0
import APDU
import TokenEnd

/// The card as the token's end of the secure channel uses it. Its state is a part of the card's.
extension Card: ChannelCard {
    var serial: [UInt8] { state.serial }

    var label: [UInt8] { state.label }

    /// The card that has this end always has its state.
    var channel: ChannelState {
        get { state.channel ?? ChannelState(keys: [:], records: 0) }
        set { state.channel = newValue }
    }

    func makeContext(for host: PairingRecord?) -> any CardContext { CardScope(self) }

    func takeErasure() -> Bool {
        defer { wasErased = false }
        return wasErased
    }
}

/// A context of the card, and the card that commands in it go to.
final class CardScope: CardContext {
    private let card: Card
    private var context = Context()

    init(_ card: Card) { self.card = card }

    var isInChain: Bool { context.chain != nil }

    var isAdministrator: Bool { context.rights.contains(AccessConditions.administrator) }

    func execute(_ command: borrowing Command) -> Response {
        swap(&card.context, &context)
        defer { swap(&card.context, &context) }
        return card.execute(command)
    }

    func abortChain() { context.abortChain() }

    func clear() { context = Context() }
}
