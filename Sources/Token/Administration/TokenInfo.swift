// SPDX-License-Identifier: Apache-2.0

import APDU

/// A version of hardware or firmware.
package struct TokenVersion: Sendable, Equatable {
    package var major: UInt8
    package var minor: UInt8

    package init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }
}

/// Length limits and tries of a PIN.
package struct PINState: Sendable, Equatable {
    package var minimumLength = 6
    package var maximumLength = 249
    package var tries = 10
    package var triesLeft = 10
    /// Whether the value is no longer the factory's.
    package var isChanged = false
    package var isUTF8 = false
    /// The roles that may change the value: bit 0 SO, bit 1 User.
    package var changePolicy: UInt8 = 0
}

/// The versions that a token reports.
package struct TokenVersions: Sendable, Equatable {
    package var hardware = TokenVersion(major: 0, minor: 0)
    package var firmware = TokenVersion(major: 0, minor: 0)
    /// The vendor's protocol number.
    package var protocolNumber = 4

    package init() {}

    init(hardware: TokenVersion, firmware: TokenVersion, protocolNumber: Int) {
        self.hardware = hardware
        self.firmware = firmware
        self.protocolNumber = protocolNumber
    }
}

/// Information about a token. Without a channel to a token that demands one, only serial number and label are known and
/// the rest keeps its defaults.
package struct TokenInfo: Sendable, Equatable {
    /// Bytes of a token's memory, which no command tells.
    package static let totalMemory = 131_072

    /// The serial number, eight bytes, big-endian.
    package var serial: [UInt8]
    /// UTF-8; nil if the token has no label.
    package var label: [UInt8]?
    package var versions = TokenVersions()
    /// The low byte of the vendor's extended flags.
    package var extendedFlags: UInt8 = 0
    /// Whether the token has its PINs; false after an interrupted formatting. Nil if only serial number and label are
    /// known.
    package var isFormatted: Bool?
    package var user = PINState()
    package var securityOfficer = PINState()
    /// Bytes; nil if unknown.
    package var freeMemory: Int?
    /// The firmware's checksum; nil if unknown.
    package var firmwareChecksum: UInt32?
    /// Whether User must change the PIN.
    package var isUserPINChangeForced = false
    /// Whether the token is a folder with a key container: nothing in it is changed, and no wrong password is counted.
    package var isFolder = false
    /// Whether keys want User's login.
    package var needsLogin = true

    /// The label for a field of `size` bytes: whole characters, up to a NUL, at which some programs end it. Nil if
    /// nothing is left.
    package func label(fitting size: Int) -> [UInt8]? {
        let label = Array((label ?? []).prefix { $0 != 0 })
        return label.isEmpty ? nil : label.wholeCharacters(fitting: size)
    }

    init(serial: [UInt8], label: [UInt8]? = nil) {
        self.serial = serial
        self.label = label?.isEmpty == true ? nil : label
    }
}

/// A volume of a token's drive.
package struct TokenVolume: Sendable, Equatable {
    package enum AccessMode: UInt8, Sendable {
        case hidden = 0x00
        case readOnly = 0x01
        case readWrite = 0x03
        case compactDisc = 0x05
    }

    package var number: UInt8
    package var accessMode: AccessMode
    /// In megabytes.
    package var size: Int
    /// The number of the PIN that the volume belongs to: 1 the SO's, 2 User's, 3 to 31 a local one; nil without an
    /// owner.
    package var owner: UInt8?

    /// Number, mode, size, two bytes of unknown meaning, then the conditions of six operations, `FF` being never.
    init(parsing record: [UInt8]) throws(MalformedBytes) {
        var cursor = ByteCursor(record)
        number = try cursor.byte()
        guard let mode = AccessMode(rawValue: try cursor.byte()) else { throw MalformedBytes() }
        accessMode = mode
        size = try cursor.uint16()
        _ = try cursor.uint16()
        owner = try cursor.bytes(6).first { $0 != 0x00 && $0 != 0xFF }
    }
}
