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

    init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var outer = ByteCursor(bytes)
        var inner = ByteCursor(try outer.object().value)
        while !inner.isAtEnd {
            let (tag, value) = try inner.object()
            var cursor = ByteCursor(value)
            switch tag {
            case 0x80: size = try cursor.uint16()
            case 0x85: properties = value
            case 0x86: access = value
            default: break
            }
        }
    }

    /// Whether everybody may read the file: reading has no condition.
    var isOpen: Bool { readCondition == 0x00 }
    /// Whether User alone may read the file.
    var isUsers: Bool { readCondition == Token.Role.user.rawValue }

    /// The condition for reading the file; nil if the template does not say.
    private var readCondition: UInt8? {
        guard access.count > 1 else { return nil }
        return access[0] & 0x01 == 0 ? 0x00 : access[1]
    }
}

/// The kinds of files that CREATE FILE makes. The vendor's library orders the template differently for each.
enum FileKind {
    case directory, elementary, key
    /// A PIN, or the emitent key.
    case pin

    /// The first byte of tag 82.
    var type: UInt8 {
        switch self {
        case .directory: 0x38
        case .elementary: 0x01
        case .key, .pin: 0x10
        }
    }

    /// The data objects of a new file's template.
    var tags: [UInt8] {
        switch self {
        case .directory: [0x80, 0x82, 0x83, 0x86]
        case .elementary, .pin: [0x82, 0x80, 0x83, 0x85, 0x86]
        case .key: [0x80, 0x82, 0x83, 0x86, 0x85]
        }
    }
}

/// The path of a file: identifiers from below the MF down.
package struct FilePath: Hashable, Sendable, ExpressibleByArrayLiteral {
    package var identifiers: [UInt16]

    package init(_ identifiers: [UInt16]) { self.identifiers = identifiers }
    package init(arrayLiteral elements: UInt16...) { self.init(elements) }

    /// The path of a file in this directory.
    func file(_ identifier: UInt16) -> FilePath {
        var path = self
        path.identifiers.append(identifier)
        return path
    }

    var bytes: [UInt8] { identifiers.flatMap(\.bytes) }

    static let system: FilePath = [0x1000, 0x1000]
    static let label: FilePath = [0x1000, 0x1000, 0x1000]
    static let publicKeys: FilePath = [0x1000, 0x1000, 0x6001]
    static let privateKeys: FilePath = [0x1000, 0x1000, 0x6002]
    static let secretKeys: FilePath = [0x1000, 0x1000, 0x6003]
    static let localPINs: FilePath = [0x1000, 0x1000, 0x6005]
    static let objects: FilePath = [0x1000, 0x1001]
}

extension UInt16 {
    /// The number's two bytes, big-endian, as file identifiers are sent.
    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)] }
}
