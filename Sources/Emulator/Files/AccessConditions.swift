// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import TokenEnd

/// The access conditions of a file: the 15 bytes of tag 86.
///
/// Byte 0 is the mask of the seven operations that have a condition, byte 1 + i is the condition of operation i, byte 8 + i
/// qualifies it.
package struct AccessConditions: Sendable, Equatable {
    /// An operation's number. Its meaning depends on the kind of file.
    struct Operation: Equatable {
        let number: Int

        static let read = Operation(number: 0)
        static let createFile = Operation(number: 0)
        static let unblock = Operation(number: 0)
        static let update = Operation(number: 1)
        static let createRightsFile = Operation(number: 1)
        static let use = Operation(number: 2)
        static let putData = Operation(number: 2)
        static let delete = Operation(number: 6)
    }

    /// The numbers of the PINs that stand for the administrator and the user.
    static let administrator = 1
    static let user = 2

    /// The bytes of tag 86.
    package let bytes: [UInt8]

    /// Nil unless there are 15 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 15 else { return nil }
        self.bytes = bytes
    }

    /// Conditions without qualifiers: the mask, and one condition for each of the seven operations.
    init(_ mask: UInt8, _ conditions: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)) {
        let (c0, c1, c2, c3, c4, c5, c6) = conditions
        bytes = [mask, c0, c1, c2, c3, c4, c5, c6] + [UInt8](repeating: 0, count: 7)
    }

    /// The condition byte of the operation; nil if the mask lacks it.
    func condition(of operation: Operation) -> UInt8? {
        guard bytes[0] >> UInt8(operation.number) & 1 == 1 else { return nil }
        return bytes[1 + operation.number]
    }

    /// Whether the holder of the presented PINs `rights` may do it. Without a condition only reading is free.
    func permit(_ operation: Operation, to rights: Set<Int>, unconditioned: Bool = false) -> Bool {
        guard let condition = condition(of: operation) else { return unconditioned }
        return switch condition {
        case 0x00: true
        case 0x01: rights.contains(Self.administrator)
        case 0x02: rights.contains(Self.user)
        case 0x03: rights.contains(Self.administrator) || rights.contains(Self.user)
        case 0x04: rights.contains(Int(bytes[8 + operation.number]))
        default: false
        }
    }
}

extension AccessConditions {
    /// The MF: the user creates, the administrator changes token data, deleting is forbidden.
    static let root = AccessConditions(0x47, (2, 2, 1, 0, 0, 0, 0xFF))
    /// The directories of a formatted token.
    static let systemDirectory = AccessConditions(0x43, (2, 2, 0, 0, 0, 0, 0xFF))
    /// The directories of the Windows minidriver.
    static let minidriver = AccessConditions(0x43, (3, 3, 0, 0, 0, 0, 0xFF))
    /// The administrator's PIN: changed by the administrator, never unblocked.
    static let administratorPIN = AccessConditions(0x43, (0xFF, 1, 0, 0, 0, 0, 0xFF))
    /// The user's PIN: unblocked by the administrator, changed by the user.
    static let userPIN = AccessConditions(0x43, (1, 2, 0, 0, 0, 0, 0xFF))
    /// A file that everybody reads and the user changes and deletes.
    static let publicFile = AccessConditions(0x43, (0, 2, 0, 0, 0, 0, 2))
}
