// SPDX-License-Identifier: Apache-2.0

import Glibc
import KanalKit

/// The address that a user's browser opens to sign in.
public struct SignInRequest: Sendable, Equatable {
    /// The address, with all parameters.
    public let url: String
    /// The state that the answer must repeat: random, and good for one answer.
    public let state: String

    package init(url: String, state: String) { (self.url, self.state) = (url, state) }
}
