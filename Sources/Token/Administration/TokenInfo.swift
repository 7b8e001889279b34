/// A version of hardware or firmware.
public struct TokenVersion: Sendable, Equatable {
    public var major: UInt8
    public var minor: UInt8

    public init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }
}

/// Length limits and tries of a PIN.
public struct PINState: Sendable, Equatable {
    public var minimumLength = 6
    public var maximumLength = 249
    public var tries = 10
    public var triesLeft = 10
    /// Whether the value is no longer the factory's.
    public var isChanged = false
    public var isUTF8 = false
    /// Who may change the value: bit 0 SO, bit 1 User.
    public var changePolicy: UInt8 = 0
}

/// What a token tells of itself. Without a channel to a token that demands one, only serial number and label are known
/// and the rest keeps its defaults.
public struct TokenInfo: Sendable, Equatable {
    /// The serial number, eight bytes, big-endian.
    public var serial: [UInt8]
    /// UTF-8; nil if the token has no label.
    public var label: [UInt8]?
    public var hardware = TokenVersion(major: 0, minor: 0)
    public var firmware = TokenVersion(major: 0, minor: 0)
    /// The vendor's protocol number.
    public var protocolNumber = 4
    /// The low byte of the vendor's extended flags.
    public var extendedFlags: UInt8 = 0
    /// Whether the token has its PINs; false after a formatting that was cut short.
    public var isFormatted = true
    public var user = PINState()
    public var securityOfficer = PINState()
    /// Bytes; nil if unknown.
    public var freeMemory: Int?
    /// The firmware's checksum; nil if unknown.
    public var firmwareChecksum: UInt32?
    /// Whether User must change the PIN.
    public var isUserPINChangeForced = false

    /// The label for a field of `size` octets: whole characters, and nothing from a NUL on, with which some programs end
    /// it. Nil if nothing is left.
    public func label(fitting size: Int) -> [UInt8]? {
        let label = Array((label ?? []).prefix { $0 != 0 })
        guard label.count > size else { return label.isEmpty ? nil : label }
        // A character of UTF-8 has at most three octets behind its first.
        let end = (0...3).map { size - $0 }.first { $0 > 0 && label[$0] & 0xC0 != 0x80 }
        return Array(label.prefix(end ?? size))
    }

    init(serial: [UInt8], label: [UInt8]? = nil) {
        self.serial = serial
        self.label = label?.isEmpty == true ? nil : label
    }
}
