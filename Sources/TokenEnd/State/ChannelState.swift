// SPDX-License-Identifier: Apache-2.0

package import APDU
package import GOST
package import Secrets

/// The lasting state of the token's end of the secure channel (GSC/1, 7 and 9).
package struct ChannelState: Sendable {
    /// The token's key pairs. A profile without one is not offered.
    package var keys: [ChannelProfile: TokenKey]
    /// The activation passwords 1...6; nil for an empty slot.
    package var slots = [ActivationSlot?](repeating: nil, count: 6)
    /// The hosts that paired; nil for a free record.
    package var records: [PairingRecord?]
    /// Counts sessions and pairings, so that records have an age.
    package var clock: UInt32 = 0

    package init(keys: [ChannelProfile: TokenKey], records: Int) {
        self.keys = keys
        self.records = Array(repeating: nil, count: records)
    }

    /// The list of the profiles: b0 classic, b1 modern.
    var profiles: UInt8 { keys.keys.reduce(0) { $0 | $1.bit } }
}

/// The token's long-term key pair of one profile.
package struct TokenKey: Sendable {
    /// 32 bytes, little-endian.
    package let scalar: SharedSecret
    /// X ‖ Y, 64 bytes, both little-endian.
    package let publicKey: [UInt8]

    package init(scalar: SharedSecret, publicKey: [UInt8]) {
        self.scalar = scalar
        self.publicKey = publicKey
    }
}

/// One activation password: the verifiers and the tries left, never the password (GSC/1, 5 and 7).
package struct ActivationSlot: Sendable {
    static let limits = (5, 10, 1000)

    package let salt: [UInt8]
    /// K_F of the classic profile, Q_PW of the modern one; only of the profiles that the slot serves.
    package let verifiers: [ChannelProfile: SharedSecret]
    /// Failed pairings that are left before one must succeed (C1 of GSC/1).
    package var triesInARow = ActivationSlot.limits.0
    /// Failed pairings that are left altogether; a success gives one back (C2).
    package var failuresLeft = ActivationSlot.limits.1
    /// Pairings that are left to begin (C3).
    package var attemptsLeft = ActivationSlot.limits.2
    package var isOneTime = false
    package var isConsumed = false

    package init(salt: [UInt8], verifiers: [ChannelProfile: SharedSecret]) {
        self.salt = salt
        self.verifiers = verifiers
    }

    /// The list of the profiles that the slot serves.
    var profiles: UInt8 { verifiers.keys.reduce(0) { $0 | $1.bit } }

    /// The state in E3 of a slot that is not empty.
    enum Condition: UInt8 {
        case ready = 1
        case blocked = 2
        case exhausted = 3
        case consumed = 4
    }

    var condition: Condition {
        if isConsumed { return .consumed }
        if failuresLeft == 0 || attemptsLeft == 0 { return .exhausted }
        return triesInARow == 0 ? .blocked : .ready
    }
}

/// A host that paired with the token (GSC/1, 9).
package struct PairingRecord: Sendable {
    package var isActive: Bool
    package var profile: ChannelProfile
    /// ID_H, eight bytes.
    package var hostIdentity: [UInt8]
    /// H_pub, X ‖ Y, 64 bytes.
    package var publicKey: [UInt8]
    package var label: [UInt8]
    package var slot: Int
    package var created: UInt32
    package var lastUsed: UInt32

    package init(
        isActive: Bool, profile: ChannelProfile, hostIdentity: [UInt8], publicKey: [UInt8], label: [UInt8], slot: Int,
        created: UInt32, lastUsed: UInt32
    ) {
        self.isActive = isActive
        self.profile = profile
        self.hostIdentity = hostIdentity
        self.publicKey = publicKey
        self.label = label
        self.slot = slot
        self.created = created
        self.lastUsed = lastUsed
    }
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
        var keys: [ChannelProfile: TokenKey] = [:]
        for profile in profiles {
            guard let scalar = try cursor.secret() else { throw MalformedBytes() }
            keys[profile] = TokenKey(scalar: scalar, publicKey: try cursor.bytes(64))
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
    fileprivate static func list(_ bits: UInt8) throws(MalformedBytes) -> [ChannelProfile] {
        let profiles = allCases.filter { $0.bit & bits != 0 }
        guard !profiles.isEmpty, profiles.reduce(0, { $0 | $1.bit }) == bits else { throw MalformedBytes() }
        return profiles
    }
}

extension ActivationSlot {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(profiles)
        bytes += salt
        for profile in ChannelProfile.allCases {
            if let verifier = verifiers[profile] { bytes.appendSecret(verifier) }
        }
        for number in [triesInARow, failuresLeft, attemptsLeft] { bytes.appendUInt16(number) }
        bytes.append((isOneTime ? 1 : 0) | (isConsumed ? 2 : 0))
    }

    /// Nil for an empty slot.
    fileprivate init?(from cursor: inout ByteCursor) throws(MalformedBytes) {
        guard try cursor.byte() != 0 else { return nil }
        let profiles = try ChannelProfile.list(try cursor.byte())
        let salt = try cursor.bytes(16)
        var verifiers: [ChannelProfile: SharedSecret] = [:]
        for profile in profiles {
            guard let verifier = try cursor.secret() else { throw MalformedBytes() }
            verifiers[profile] = verifier
        }
        self.init(salt: salt, verifiers: verifiers)
        triesInARow = try cursor.uint16()
        failuresLeft = try cursor.uint16()
        attemptsLeft = try cursor.uint16()
        let marks = try cursor.byte()
        isOneTime = marks & 1 != 0
        isConsumed = marks & 2 != 0
    }
}

extension PairingRecord {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes += [isActive ? 1 : 0, profile.rawValue, UInt8(truncatingIfNeeded: slot)]
        bytes += hostIdentity + publicKey
        bytes.appendField(label)
        bytes.appendUInt32(created)
        bytes.appendUInt32(lastUsed)
    }

    /// Nil for a free record.
    fileprivate init?(from cursor: inout ByteCursor) throws(MalformedBytes) {
        guard try cursor.byte() != 0 else { return nil }
        isActive = try cursor.byte() != 0
        guard let profile = ChannelProfile(rawValue: try cursor.byte()) else { throw MalformedBytes() }
        self.profile = profile
        slot = Int(try cursor.byte())
        hostIdentity = try cursor.bytes(8)
        publicKey = try cursor.bytes(64)
        label = try cursor.field()
        created = try cursor.uint32()
        lastUsed = try cursor.uint32()
        guard (1...6).contains(slot) else { throw MalformedBytes() }
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
            keys[profile] = TokenKey(scalar: SharedSecret(key.scalar.copy()), publicKey: publicKey.bytes)
        }
        return keys
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
