// SPDX-License-Identifier: Apache-2.0
import KanalKit
internal import Translation

/// The beginning of a session with the identity service, or of an extended authorisation. The party that supplied the
/// location exchanges the code for a token, once.
public struct AuthorizationCode: Sendable, Equatable {
    /// The code of the service: text without control characters. It is a secret until it is exchanged.
    public let code: String
    /// The state of the location, as it came back: the same.
    public let state: String
}

// Printing one by mistake reveals no secret.
extension AuthorizationCode: CustomStringConvertible {
    public var description: String { "an authorisation code" }
}
