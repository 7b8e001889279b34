// SPDX-License-Identifier: Apache-2.0

import Secrets

/// Bytes that must not outlive their use, such as a key or a password. They are kept in locked memory, have no
/// printable form, cannot be copied by accident, and are overwritten when their owner releases them.
///
/// They cannot leave the block of `Token.perform` as its result; put them where they are
/// needed from within it.
public struct SecretBytes: ~Copyable, Sendable {
    let secret: Secret

    /// Copies a shared secret's bytes.
    init(_ shared: SharedSecret) { secret = shared.secret.copy() }

    /// Copies a text. The caller's copy of it stays where it is; prefer ``init(bytes:)`` for typed text.
    public init(_ text: String) { secret = Secret(copying: Array(text.utf8)) }

    /// Copies bytes, which are the caller's to wipe.
    public init(bytes: Span<UInt8>) { secret = Secret(copying: bytes) }

    /// The number of bytes.
    public var count: Int { secret.count }

    /// Calls `body` with the bytes. Copies of them are the caller's to wipe.
    public func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try secret.withBytes(body)
    }
}
