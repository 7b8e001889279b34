// SPDX-License-Identifier: Apache-2.0
package import GOST
package import Secrets

/// New ends of channels.
extension ChannelState {
    /// Why an end cannot be made.
    package enum CreationError: Error {
        /// A password is malformed, too short for a profile, or names a slot that does not exist or is filled already.
        case invalidPassword
    }

    /// An end with new key pairs, and empty slots and records.
    package init(_ offer: ChannelOffer, random: any RandomSource) throws(GOSTError) {
        self.init(keys: try .generate(offer.profiles, random: random), records: offer.records)
    }

    /// Burns the passwords in; without any, new ones for the slots 1 and 2.
    ///
    /// - Returns: The printed forms. They are nowhere else.
    /// - Throws: ``CreationError``, `RandomUnavailable` or `GOSTError`.
    package mutating func fill(
        with given: [String], _ offer: ChannelOffer, random: any RandomSource
    ) throws -> [String] {
        var printed: [String] = []
        if given.isEmpty {
            for slot in 1...min(2, offer.slots) {
                printed.append(try burn(ActivationPassword(slot: slot, random: random), offer, random))
            }
        }
        for text in given {
            guard let password = ActivationPassword(text, for: offer.profiles) else {
                throw CreationError.invalidPassword
            }
            printed.append(try burn(password, offer, random))
        }
        return printed
    }

    /// Puts a new password into a slot in place of the one that was there, with all its tries.
    package mutating func renewPassword(
        of slot: Int, _ offer: ChannelOffer, random: any RandomSource
    ) throws -> String {
        guard (1...offer.slots).contains(slot), slots.indices.contains(slot - 1) else {
            throw CreationError.invalidPassword
        }
        let password = try ActivationPassword(slot: slot, random: random)
        slots[slot - 1] = nil
        return try burn(password, offer, random)
    }

    private mutating func burn(
        _ password: borrowing ActivationPassword, _ offer: ChannelOffer, _ random: any RandomSource
    ) throws -> String {
        guard password.slot <= offer.slots, slots[password.slot - 1] == nil else {
            throw CreationError.invalidPassword
        }
        slots[password.slot - 1] = try password.slot(for: offer.profiles, random: random)
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
