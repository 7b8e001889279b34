// SPDX-License-Identifier: Apache-2.0

import KanalKit

/// The request by which a program gets its tokens for a code: a POST.
public struct TokenRequest: Sendable, Equatable {
    /// The address to send it to.
    public let url: String
    /// The body's type.
    public let contentType = "application/x-www-form-urlencoded"
    /// The body that is sent.
    public let body: [UInt8]
    /// The state that the reply repeats.
    public let state: String
}
