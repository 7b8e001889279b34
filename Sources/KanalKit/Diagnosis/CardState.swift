// SPDX-License-Identifier: Apache-2.0

import APDU
import Token
import Tokens
package import Translation

/// A reader and whether the card in it can be worked with, as far as is known without a command to the card. The
/// command that asks for the channel changes nothing.
package struct CardState: Sendable, Equatable {
    package enum Condition: Sendable, Equatable {
        case empty
        /// A token of a kind that the library drives.
        case token
        /// A card that the library does not drive.
        case foreign
        /// Another program holds the card for itself.
        case held
        /// A card that does not respond (no ATR).
        case mute
        /// It could not be connected to in time: another program has a transaction with the card, or the card is silent.
        case busy
        /// pcscd accepts no further connection to the card: other programs have all that it allows, or it fails.
        case crowded
        /// The card cannot be reached, for this reason.
        case unreachable(Phrase)
    }

    /// The reader's PC/SC name.
    package let reader: String
    package let condition: Condition
    /// Whether the card's answer to reset belongs to a token with a Bluetooth radio.
    package let isBluetooth: Bool
    /// Whether the reader counts as wireless, by its name or by `wireless_readers`.
    package let isWireless: Bool
    /// Whether a token that was asked has the channel. None is asked where the configuration requires a channel.
    package let hasChannel: Bool
}

extension TokenManager {
    /// The readers and their cards. Each card is connected to, shared with others, and left unchanged.
    ///
    /// - Parameters:
    ///   - patience: The time limit for all connections together.
    ///   - asking: Decides by a reader's name whether a token in it is asked if it has the channel. While another
    ///     program has it for itself, it is not.
    /// - Throws: ``KanalError/notStarted(_:)`` if the readers cannot be listed; ``KanalError/cancelled`` at once when
    ///   the task is cancelled.
    package func cardStates(
        patience: Duration = .seconds(4), asking: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws(KanalError) -> [CardState] {
        let states = try await working(on: worker, cancellation: .abandons) { [service] () throws(KanalError) in
            let states: [ReaderState]
            do throws(LinkError) { states = try service.readers.readers() } catch {
                throw .notStarted(KanalError.Obstacle(error) ?? .noService)
            }
            if states.isEmpty { try service.requireReaders() }
            return states
        }
        // A connection waits for the transaction of another program, and for a card that is silent.
        let known = await withTaskGroup(of: (String, CardState)?.self) { [service] group in
            for state in states {
                group.addTask {
                    let known = try? await working(on: Worker(), cancellation: .abandons) { () throws(KanalError) in
                        CardState(state, of: service, asks: asking(state.name))
                    }
                    return (state.name, known ?? CardState(state, .busy, of: service))
                }
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            var known: [String: CardState] = [:]
            for await result in group {
                if let (name, state) = result { known[name] = state }
                if result == nil || known.count == states.count { group.cancelAll() }
            }
            return known
        }
        guard !Task.isCancelled else { throw .cancelled }
        return states.compactMap { known[$0.name] }
    }
}

extension CardState {
    fileprivate init(_ state: ReaderState, of service: TokenService, asks: Bool) {
        let condition = Condition(state, state.atr.flatMap(TokenModel.init), of: service)
        let mayAsk = asks && !service.settings.policy.requireSM && condition == .token
        self.init(state, condition, of: service, hasChannel: mayAsk && Self.hasChannel(state.name, of: service))
    }

    fileprivate init(_ state: ReaderState, _ condition: Condition, of service: TokenService, hasChannel: Bool = false) {
        reader = state.name
        self.condition = condition
        self.hasChannel = hasChannel
        isWireless = service.settings.policy.isWireless(state.name)
        isBluetooth = state.atr.flatMap(TokenModel.init) == .ecpBluetooth
    }

    /// GET CAPABILITIES (GSC/1, 4).
    private static func hasChannel(_ reader: String, of service: TokenService) -> Bool {
        guard let link = try? service.readers.connect(to: reader) else { return false }
        defer { link.disconnect() }
        guard let response = try? link.transmit(Command(0x80, 0xCA, 0x47, 0x00, ne: 256)) else { return false }
        return response.status == .success && response.data.first == 0xE1
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
            case .kept: self = .busy
            case .mute: self = .mute
            case .connectionsUsedUp: self = .crowded
            default: self = .unreachable(Reason(error).phrase)
            }
        }
    }
}
