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

/// The access conditions of a file: tag 86 of its template.
///
/// A condition for each operation that has one. The operations depend on the kind of file.
struct AccessConditions {
    enum Condition: UInt8 {
        case anybody = 0x00
        case securityOfficer = 0x01
        case user = 0x02
        case securityOfficerOrUser = 0x03
        case localPIN = 0x04
        case nobody = 0xFF
    }

    /// The fifteen bytes: a mask of the operations that have a condition, seven conditions, and a qualifier for each.
    let bytes: [UInt8]

    private init(_ conditions: [Int: Condition], qualifiers: [Int: UInt8] = [:]) {
        var bytes = [UInt8](repeating: 0, count: 15)
        for (operation, condition) in conditions {
            bytes[0] |= 1 << operation
            bytes[1 + operation] = condition.rawValue
        }
        for (operation, qualifier) in qualifiers { bytes[8 + operation] = qualifier }
        self.bytes = bytes
    }

    /// An elementary file's.
    static func file(read: Condition, update: Condition, delete: Condition) -> AccessConditions {
        AccessConditions([0: read, 1: update, 6: delete])
    }

    /// A directory's: the condition for creating files and key files in it; it can never be deleted.
    static func directory(create: Condition) -> AccessConditions {
        AccessConditions([0: create, 1: create, 6: .nobody])
    }

    /// The MF's, where the SO writes data objects.
    static let masterFile = AccessConditions([0: .user, 1: .user, 2: .securityOfficer, 6: .nobody])

    /// A PIN's; it can never be deleted.
    static func pin(unblock: Condition, change: Condition) -> AccessConditions {
        AccessConditions([0: unblock, 1: change, 6: .nobody])
    }

    /// - Parameter change: Bit 0 the SO, bit 1 User.
    static func pin(unblock: Condition, change: UInt8) -> AccessConditions {
        pin(unblock: unblock, change: Condition(rawValue: change & 0x03) ?? .nobody)
    }

    /// A local PIN's: the SO restores its tries, the PIN itself permits its change.
    static func localPIN(_ number: UInt8) -> AccessConditions {
        AccessConditions([0: .securityOfficer, 1: .localPIN, 6: .nobody], qualifiers: [1: number, 6: number])
    }

    /// A private key's. The first operation is one that only the vendor's library gives a condition.
    static let privateKey = AccessConditions([0: .user, 1: .user, 2: .user, 6: .user])
    /// A public key's.
    static let publicKey = AccessConditions([1: .user, 2: .anybody, 6: .user])
    /// The emitent key's.
    static let emitentKey = AccessConditions(
        [0: .nobody, 1: .anybody, 2: .anybody, 6: .nobody], qualifiers: [0: 0xFF, 6: 0xFF])
}
