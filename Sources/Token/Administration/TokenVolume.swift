// SPDX-License-Identifier: Apache-2.0

import APDU

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
