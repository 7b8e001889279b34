// SPDX-License-Identifier: Apache-2.0

import APDU

/// Information about a token. Without a channel to a token that demands one, only serial number and label are known and
/// the rest keeps its defaults.
package struct TokenInfo: Sendable, Equatable {
    /// Bytes of a token's memory, which no command returns.
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
