// SPDX-License-Identifier: Apache-2.0

import APDU

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

    /// A private key's. Only the vendor's library sets a condition for the first operation.
    static let privateKey = AccessConditions([0: .user, 1: .user, 2: .user, 6: .user])
    /// A public key's.
    static let publicKey = AccessConditions([1: .user, 2: .anybody, 6: .user])
    /// The emitent key's.
    static let emitentKey = AccessConditions(
        [0: .nobody, 1: .anybody, 2: .anybody, 6: .nobody], qualifiers: [0: 0xFF, 6: 0xFF])
}
