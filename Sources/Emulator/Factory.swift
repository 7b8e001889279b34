// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TokenEnd

/// Makes new tokens.
struct Factory {
    let identity: Identity
    let random: any RandomSource

    /// The first state of a token, and the activation passwords whose verifiers it holds.
    func state(
        serial: [UInt8]?, label: String?, passwords: [String]
    ) throws(EmulatorError) -> (CardState, [String]) {
        guard (label?.utf8.count ?? 0) <= 255 else { throw .invalidLabel }
        do {
            // Emulators have 00 00 00 00 0E xx xx xx.
            let serial = try serial ?? [0, 0, 0, 0, 0x0E] + random.bytes(3)
            var state = CardState.factory(
                identity: identity.name, serial: serial, label: label.map { Array($0.utf8) },
                nonce: try random.bytes(16))
            guard let offer = identity.channel else { return (state, []) }
            var channel = try ChannelState(offer, random: random)
            let printed = try channel.fill(with: passwords, offer, random: random)
            state.channel = channel
            return (state, printed)
        } catch ChannelState.CreationError.invalidPassword {
            throw .invalidActivationPassword
        } catch is RandomUnavailable {
            throw .randomUnavailable
        } catch {
            throw .cryptography
        }
    }
}
