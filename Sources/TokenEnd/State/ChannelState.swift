// SPDX-License-Identifier: Apache-2.0

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
    package let scalar: Sealed
    /// X ‖ Y, 64 bytes, both little-endian.
    package let publicKey: [UInt8]

    package init(scalar: Sealed, publicKey: [UInt8]) {
        self.scalar = scalar
        self.publicKey = publicKey
    }
}

/// One activation password: the verifiers and the tries left, never the password (GSC/1, 5 and 7).
package struct ActivationSlot: Sendable {
    static let limits = (5, 10, 1000)

    package let salt: [UInt8]
    /// K_F of the classic profile, Q_PW of the modern one; only of the profiles that the slot serves.
    package let verifiers: [ChannelProfile: Sealed]
    package var c1 = ActivationSlot.limits.0
    package var c2 = ActivationSlot.limits.1
    package var c3 = ActivationSlot.limits.2
    package var isOneTime = false
    package var isConsumed = false

    package init(salt: [UInt8], verifiers: [ChannelProfile: Sealed]) {
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
        if c2 == 0 || c3 == 0 { return .exhausted }
        return c1 == 0 ? .blocked : .ready
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
