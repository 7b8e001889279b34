// SPDX-License-Identifier: Apache-2.0

package import APDU
package import GOST
package import Secrets

/// The lasting state of the token's end of the secure channel (GSC/1, 7 and 9).
package struct ChannelState: Sendable {
    /// The token's key pairs. A profile without one is not offered.
    package var keys: [ChannelProfile: ChannelKey]
    /// The activation passwords 1...6; nil for an empty slot.
    package var slots = [ActivationSlot?](repeating: nil, count: 6)
    /// The hosts that paired; nil for a free record.
    package var records: [PairingRecord?]
    /// Counts sessions and pairings, so that records have an age.
    package var clock: UInt32 = 0

    package init(keys: [ChannelProfile: ChannelKey], records: Int) {
        self.keys = keys
        self.records = Array(repeating: nil, count: records)
    }

    /// The list of the profiles: b0 classic, b1 modern.
    var profiles: UInt8 { keys.keys.reduce(0) { $0 | $1.bit } }
}

/// The encoding of the secure channel's lasting state.
extension ChannelState {
    package func append(to bytes: inout [UInt8]) {
        bytes.append(profiles)
        for profile in ChannelProfile.allCases {
            guard let key = keys[profile] else { continue }
            bytes.appendSecret(key.scalar)
            bytes += key.publicKey
        }
        bytes.appendUInt32(clock)
        bytes.append(UInt8(truncatingIfNeeded: slots.count))
        for slot in slots {
            bytes.append(slot == nil ? 0 : 1)
            slot?.append(to: &bytes)
        }
        bytes.append(UInt8(truncatingIfNeeded: records.count))
        for record in records {
            bytes.append(record == nil ? 0 : 1)
            record?.append(to: &bytes)
        }
    }

    /// - Parameter version: 1 for a state that knew the classic profile only.
    package init(from cursor: inout ByteCursor, _ version: Int) throws(MalformedBytes) {
        let profiles = version == 1 ? [.classic] : try ChannelProfile.list(try cursor.byte())
        var keys: [ChannelProfile: ChannelKey] = [:]
        for profile in profiles {
            guard let scalar = try cursor.secret() else { throw MalformedBytes() }
            keys[profile] = ChannelKey(scalar: scalar, publicKey: try cursor.bytes(64))
        }
        let clock = try cursor.uint32()
        var slots: [ActivationSlot?] = []
        for _ in 0..<(try cursor.byte()) { slots.append(try ActivationSlot(from: &cursor)) }
        var records: [PairingRecord?] = []
        for _ in 0..<(try cursor.byte()) { records.append(try PairingRecord(from: &cursor)) }
        guard slots.count == 6 else { throw MalformedBytes() }
        self.init(keys: keys, records: 0)
        self.clock = clock
        self.slots = slots
        self.records = records
    }
}

extension ChannelProfile {
    /// The profiles of a list.
    static func list(_ bits: UInt8) throws(MalformedBytes) -> [ChannelProfile] {
        let profiles = allCases.filter { $0.bit & bits != 0 }
        guard !profiles.isEmpty, profiles.reduce(0, { $0 | $1.bit }) == bits else { throw MalformedBytes() }
        return profiles
    }
}

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

    /// Replaces the password of a slot, with all its tries.
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

/// Variable fields of the stored state: a length in four bytes, big-endian, and the bytes.
extension [UInt8] {
    package mutating func appendField(_ field: [UInt8]) {
        appendUInt32(UInt32(truncatingIfNeeded: field.count))
        append(contentsOf: field)
    }

    /// An optional secret: 00, or 01 and the field.
    package mutating func appendSecret(_ secret: SharedSecret?) {
        append(secret == nil ? 0 : 1)
        guard let secret else { return }
        var bytes = secret.bytes
        defer { bytes.wipe() }
        appendField(bytes)
    }
}

extension ByteCursor {
    package mutating func field() throws(MalformedBytes) -> [UInt8] {
        let count = try uint32()
        return try bytes(Int(count))
    }

    package mutating func secret() throws(MalformedBytes) -> SharedSecret? {
        guard try byte() != 0 else { return nil }
        var bytes = try field()
        defer { bytes.wipe() }
        return SharedSecret(copying: bytes)
    }
}

extension [UInt8] {
    /// Simple data objects one after the other.
    package static func objects(_ objects: KeyValuePairs<UInt8, [UInt8]>) -> [UInt8] {
        objects.reduce(into: []) { $0.appendObject($1.key, $1.value) }
    }
}
