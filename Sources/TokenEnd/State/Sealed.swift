// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// A secret of the stored state. Copies of the state share it; it is wiped with the last of them.
package final class Sealed: Sendable {
    package let secret: Secret

    package init(_ secret: consuming Secret) { self.secret = secret }

    package convenience init(copying bytes: [UInt8]) { self.init(Secret(copying: bytes)) }

    /// Whether both hold the same bytes. Constant time in the contents.
    package func matches(_ other: borrowing Secret) -> Bool { Sealed.areEqual(secret, other) }

    private static func areEqual(_ left: borrowing Secret, _ right: borrowing Secret) -> Bool {
        constantTimeEqual(left.bytes, right.bytes)
    }
}
