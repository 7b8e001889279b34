// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A secret that several owners hold: a value in a description that is copied with it. All copies share one piece of
/// memory, which is overwritten when the last owner lets it go.
package final class SharedSecret: Sendable {
    package let secret: Secret

    package init(_ secret: consuming Secret) { self.secret = secret }

    /// - Parameter bytes: The original stays where it is.
    package init(copying bytes: [UInt8]) { secret = Secret(copying: bytes) }

    /// A copy that is not secret any more, or that the caller wipes.
    package var bytes: [UInt8] { [UInt8](copying: secret) }

    /// Whether the bytes equal another secret's. Constant time in the contents.
    package func matches(_ other: borrowing Secret) -> Bool { Self.isEqual(secret, other) }
}

extension SharedSecret: Equatable {
    /// Whether the bytes are the same. Constant time in the contents.
    package static func == (left: SharedSecret, right: SharedSecret) -> Bool {
        if left === right { return true }
        return isEqual(left.secret, right.secret)
    }

    private static func isEqual(_ left: borrowing Secret, _ right: borrowing Secret) -> Bool {
        constantTimeEqual(left.bytes, right.bytes)
    }
}
