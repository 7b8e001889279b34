// SPDX-License-Identifier: Apache-2.0

import GOST
import TokenEnd

/// The bits of byte 2 of a rights file's properties.
enum RightsFileFlags {
    /// The PIN is not every new token's.
    static let pinChanged: UInt8 = 0x04
    /// The key may agree on secrets.
    static let agrees: UInt8 = 0x01
    /// The key came from outside.
    static let imported: UInt8 = 0x08
    /// A local PIN that has a value.
    static let localPINSet: UInt8 = 0x03
    /// The PIN was given as UTF-8.
    static let text: UInt8 = 0x80
}
