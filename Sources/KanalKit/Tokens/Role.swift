// SPDX-License-Identifier: Apache-2.0
import Token
import Tokens

/// The role of a login.
public enum Role: Sendable, Equatable {
    /// The owner, to whom the keys belong.
    case user
    /// Sets the user's PIN, and makes activation passwords. Sees no keys.
    case securityOfficer
}

extension Role {
    /// The driver's name of it.
    var driverRole: TokenRole { self == .user ? .user : .securityOfficer }
}
