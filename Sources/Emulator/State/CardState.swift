/// Everything that the card remembers without power.
package struct CardState: Sendable {
    /// The name of the identity that the state belongs to.
    package let identity: String
    /// Eight bytes, big-endian.
    package let serial: [UInt8]
    /// Whether the token is being formatted: after an erase and until the end of initialisation.
    package var isInitialising = false
    package var fileSystem = FileSystem()
    /// Moves with every change, so that a host sees whether what it remembers is still true.
    package var changeCounter: UInt32 = 0
    /// The GOST signatures that the token ever made.
    package var signatureCounter: UInt32 = 0
    /// The record of the last GOST signature.
    package var journal: [UInt8]?
    /// Four licences of 72 bytes; empty if never written.
    package var licences = [[UInt8]](repeating: [], count: 4)
    /// Four bytes of flags; the first is 02 if the user must change the PIN.
    package var forcedChange: [UInt8] = [0, 0, 0, 0]
    /// The user PIN that a reset gives, if another than the standard one was set.
    package var defaultUserPIN: Sealed?
    /// Random bytes of the last format.
    package var formatNonce: [UInt8] = []
    /// What the token's end of the secure channel remembers, if it has one.
    package var channel: ChannelState?

    package init(identity: String, serial: [UInt8]) {
        self.identity = identity
        self.serial = serial
    }
}

/// What the token's end of the secure channel remembers (GSC/1, 7 and 9).
package struct ChannelState: Sendable {
    /// The token's key pair of the classic profile: 32 bytes, and X ‖ Y of 64 bytes, all little-endian.
    package var privateKey: Sealed
    package var publicKey: [UInt8]
    /// The activation passwords 1...6; nil for an empty slot.
    package var slots = [ActivationSlot?](repeating: nil, count: 6)
    /// The hosts that paired; nil for a free record.
    package var records: [PairingRecord?]
    /// Counts sessions and pairings, so that records have an age.
    package var clock: UInt32 = 0

    package init(privateKey: Sealed, publicKey: [UInt8], records: Int) {
        self.privateKey = privateKey
        self.publicKey = publicKey
        self.records = Array(repeating: nil, count: records)
    }
}

/// One activation password: the verifier and the tries left, never the password (GSC/1, 5 and 7).
package struct ActivationSlot: Sendable {
    static let limits = (5, 10, 1000)

    /// The profiles that the slot serves: b0 classic.
    package var profiles: UInt8 = ChannelProfile.classic.bit
    package var salt: [UInt8]
    /// K_F of the classic profile.
    package var verifier: Sealed
    package var c1 = ActivationSlot.limits.0
    package var c2 = ActivationSlot.limits.1
    package var c3 = ActivationSlot.limits.2
    package var isOneTime = false
    package var isConsumed = false

    package init(salt: [UInt8], verifier: Sealed) {
        self.salt = salt
        self.verifier = verifier
    }

    /// What E3 says of a slot that is not empty.
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
    package var profile: UInt8
    /// ID_H, eight bytes.
    package var hostIdentity: [UInt8]
    /// H_pub, X ‖ Y, 64 bytes.
    package var publicKey: [UInt8]
    package var label: [UInt8]
    package var slot: Int
    package var created: UInt32
    package var lastUsed: UInt32

    package init(
        isActive: Bool, profile: UInt8, hostIdentity: [UInt8], publicKey: [UInt8], label: [UInt8], slot: Int,
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

/// The profiles of GSC/1: which primitives a channel uses.
enum ChannelProfile: UInt8 {
    case classic = 1
    case modern = 2

    /// The profile's bit in lists of profiles.
    var bit: UInt8 { rawValue }
}
