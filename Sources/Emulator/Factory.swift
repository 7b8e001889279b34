// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

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
            var channel = try channel(offer)
            let printed = try fill(&channel, with: passwords, offer)
            state.channel = channel
            return (state, printed)
        } catch let error as EmulatorError {
            throw error
        } catch is RandomUnavailable {
            throw .randomUnavailable
        } catch {
            throw .cryptography
        }
    }

    /// A channel's end with new key pairs and empty slots.
    private func channel(_ offer: ChannelOffer) throws(GOSTError) -> ChannelState {
        ChannelState(keys: try .generate(offer.profiles, random: random), records: offer.records)
    }

    /// Burns the passwords in; without any, new ones for the slots 1 and 2.
    private func fill(_ channel: inout ChannelState, with given: [String], _ offer: ChannelOffer) throws -> [String] {
        if given.isEmpty {
            return try (1...min(2, offer.slots)).map { slot in
                try burn(ActivationPassword(slot: slot, random: random), into: &channel, offer)
            }
        }
        return try given.map { text in
            guard let password = ActivationPassword(text, for: offer.profiles) else {
                throw EmulatorError.invalidActivationPassword
            }
            return try burn(password, into: &channel, offer)
        }
    }

    private func burn(
        _ password: borrowing ActivationPassword, into channel: inout ChannelState, _ offer: ChannelOffer
    ) throws -> String {
        guard password.slot <= offer.slots, channel.slots[password.slot - 1] == nil else {
            throw EmulatorError.invalidActivationPassword
        }
        channel.slots[password.slot - 1] = try password.slot(for: offer.profiles, random: random)
        return password.printed
    }
}

extension [ChannelProfile: TokenKey] {
    /// New key pairs for the profiles.
    static func generate(_ profiles: [ChannelProfile], random: any RandomSource) throws(GOSTError) -> Self {
        var keys: Self = [:]
        for profile in profiles {
            let key = try PrivateKey.generate(on: profile.suite.curve, random: random)
            let publicKey = try key.publicKey()
            keys[profile] = TokenKey(scalar: Sealed(key.scalar.copy()), publicKey: publicKey.bytes)
        }
        return keys
    }
}
