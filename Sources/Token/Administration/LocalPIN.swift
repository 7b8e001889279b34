// SPDX-License-Identifier: Apache-2.0

import Secrets

/// The number of a PIN that one application protects its own files with.
package struct LocalPIN: Sendable, Equatable {
    /// 1 and 2 are the SO's and User's.
    package static let numbers = 3...31

    package let number: UInt8

    /// - Returns: nil unless it is one of ``numbers``.
    package init?(number: Int) {
        guard let number = UInt8(exactly: number), Self.numbers.contains(Int(number)) else { return nil }
        self.number = number
    }

    var file: FilePath { .localPINs.file(UInt16(number)) }
    /// The PIN's reference in VERIFY.
    var reference: UInt8 { 0x80 | number }
}
