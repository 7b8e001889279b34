// SPDX-License-Identifier: Apache-2.0

/// The beginning of a session with the identity service, or of an extended authorisation. The party that gave the
/// location exchanges the code for a token, once.
public struct AuthorizationCode: Sendable, Equatable {
    /// The code of the service: text without control characters. It is a secret until it is exchanged.
    public let code: String
    /// The state of the location, as it came back: the same.
    public let state: String
}

/// The proof that a person was recognised.
public struct BiometricVerification: Sendable, Equatable {
    /// The token by which a server verifies that the person was recognised: text without control characters. It is a
    /// secret.
    public let verifyToken: String
    /// Until when the token is valid, in seconds since 1970, as the other application says.
    public let expiry: Int64
}

// Printing one by mistake reveals no secret.
extension AuthorizationCode: CustomStringConvertible {
    public var description: String { "an authorisation code" }
}

extension BiometricVerification: CustomStringConvertible {
    public var description: String { "a verification that is valid until \(expiry)" }
}
