// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalKit

/// The tokens that the identity service returned for a code.
public struct ESIATokens: Sendable, Equatable {
    /// The token that the service's other addresses want to see.
    public let access: BearerToken
    /// The claims of that token.
    public let accessClaims: WebToken
    /// The user who signed in; nil if the scope had no `openid` in it.
    public let identity: WebToken?
    /// The token that identifies the user who signed in, as received.
    public let identityToken: BearerToken?
    /// The token that is exchanged for new ones later.
    public let renewal: BearerToken?
}
