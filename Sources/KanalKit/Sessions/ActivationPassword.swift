// SPDX-License-Identifier: Apache-2.0

import Secrets

/// The password with which a token's secure channel is activated. See ``PIN`` for how it is kept.
public struct ActivationPassword: ~Copyable, Sendable {
    let secret: SharedSecret

    init(_ secret: SharedSecret) { self.secret = secret }

    /// The password as it is printed, in ASCII, to show it to its owner.
    public func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try secret.secret.withBytes(body)
    }

    /// Copies a text, in any spelling that the token's card allows.
    public init(_ text: String) { secret = SharedSecret(copying: Array(text.utf8)) }

    /// Copies bytes, which are the caller's to wipe.
    public init(bytes: Span<UInt8>) { secret = SharedSecret(Secret(copying: bytes)) }
}
