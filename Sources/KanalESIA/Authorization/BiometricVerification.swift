// SPDX-License-Identifier: Apache-2.0
import KanalKit
internal import Translation

/// The proof that a person was recognised.
public struct BiometricVerification: Sendable, Equatable {
    /// The token by which a server verifies that the person was recognised: text without control characters. It is a
    /// secret.
    public let verifyToken: String
    /// The end of the token's validity, in seconds since 1970, as the other application reports it.
    public let expiry: Int64
}

extension BiometricVerification: CustomStringConvertible {
    public var description: String { "a verification that is valid until \(expiry)" }
}
