// SPDX-License-Identifier: Apache-2.0
import APDU
import Token

/// A reader and whether the card in it can be worked with, as far as can be told without a command to the card.
package struct CardState: Sendable, Equatable {
    package enum Condition: Sendable, Equatable {
        case empty
        /// A token of a kind that the library drives.
        case token
        /// A card that the library does not drive.
        case foreign
        /// Another program holds the card for itself.
        case held
        /// There is a card that does not answer to power.
        case mute
        /// The card cannot be reached, for this reason.
        case unreachable(String)
    }

    /// The reader's PC/SC name.
    package let reader: String
    package let condition: Condition
    /// Whether the card's answer to reset is that of a token with a Bluetooth radio.
    package let isBluetooth: Bool
    /// Whether the reader counts as one that reaches its card over the air, by its name or by `wireless_readers`.
    package let isWireless: Bool
}

extension TokenManager {
    /// The readers, and what is in them. Each card is connected to, shared with others, and left as it is.
    ///
    /// - Throws: ``KanalError/notStarted(_:)`` if no reader can be looked at; ``KanalError/cancelled`` at once when the
    ///   task is cancelled.
    package func cardStates() async throws(KanalError) -> [CardState] {
        try await working(on: worker, cancellation: .abandons) { [service] () throws(KanalError) in
            let states: [ReaderState]
            do throws(LinkError) { states = try service.readers.readers() } catch {
                throw .notStarted(error == .refused ? .serviceRefuses : .noService)
            }
            if states.isEmpty { try service.requireReaders() }
            return states.map { CardState($0, of: service) }
        }
    }
}

extension CardState {
    fileprivate init(_ state: ReaderState, of service: TokenService) {
        reader = state.name
        isWireless = service.settings.policy.isWireless(state.name)
        let model = state.atr.flatMap(TokenModel.init)
        isBluetooth = model == .ecpBluetooth
        condition = Condition(state, model, of: service)
    }
}

extension CardState.Condition {
    fileprivate init(_ state: ReaderState, _ model: TokenModel?, of service: TokenService) {
        do throws(LinkError) {
            try service.readers.connect(to: state.name).disconnect()
            // The card may have come in this moment: it is judged next time.
            self = state.atr == nil ? .empty : model == nil ? .foreign : .token
        } catch {
            switch error {
            case .noCard, .removed: self = .empty
            case .sharingViolation: self = .held
            case .mute: self = .mute
            default: self = .unreachable("\(error)")
            }
        }
    }
}
