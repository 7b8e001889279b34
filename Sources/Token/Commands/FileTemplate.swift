// SPDX-License-Identifier: Apache-2.0

import APDU

/// A file's control parameters (ISO/IEC 7816-4, 5.3.3), as far as the driver uses them.
package struct FileTemplate {
    /// Size in bytes (tag 80).
    var size = 0
    /// The six property bytes of a PIN or key file (tag 85).
    var properties: [UInt8] = []
    /// The access conditions (tag 86).
    var access: [UInt8] = []
    /// The file's identifier (tag 83).
    var identifier: UInt16?

    init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var outer = ByteCursor(bytes)
        var inner = ByteCursor(try outer.object().value)
        while !inner.isAtEnd {
            let (tag, value) = try inner.object()
            var cursor = ByteCursor(value)
            switch tag {
            case 0x80: size = try cursor.uint16()
            case 0x83: identifier = UInt16(truncatingIfNeeded: try cursor.uint16())
            case 0x85: properties = value
            case 0x86: access = value
            default: break
            }
        }
    }

    /// Whether everybody may read the file: reading has no condition.
    var isOpen: Bool { readCondition == 0x00 }
    /// Whether User alone may read the file.
    var isUsers: Bool { readCondition == ConnectedToken.Role.user.rawValue }

    /// The condition for reading the file; nil if the template does not say.
    private var readCondition: UInt8? {
        guard access.count > 1 else { return nil }
        return access[0] & 0x01 == 0 ? 0x00 : access[1]
    }
}

extension UInt16 {
    /// The number's two bytes, big-endian, as file identifiers are sent.
    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)] }
}
