// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A PIN. It is kept in locked memory, has no printable form, and cannot be copied by accident.
public struct PIN: ~Copyable, Sendable {
    let secret: SharedSecret

    init(_ secret: SharedSecret) { self.secret = secret }

    /// A second owner of the same memory, for functions that take an optional PIN.
    package init(sharing other: borrowing PIN) { secret = other.secret }

    /// Takes over a text. The caller's copy of it stays where it is; prefer ``init(bytes:)`` for typed text.
    public init(_ text: String) { secret = SharedSecret(copying: Array(text.utf8)) }

    /// Copies bytes, which are the caller's to wipe.
    public init(bytes: Span<UInt8>) { secret = SharedSecret(Secret(copying: bytes)) }
}

/// The password with which a token's secure channel is activated. See ``PIN`` for how it is kept.
public struct ActivationPassword: ~Copyable, Sendable {
    let secret: SharedSecret

    init(_ secret: SharedSecret) { self.secret = secret }

    /// The password as it is printed, in ASCII, to show it to its owner.
    public func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try secret.secret.withBytes(body)
    }

    /// Takes over a text, in any spelling that the token's card allows.
    public init(_ text: String) { secret = SharedSecret(copying: Array(text.utf8)) }

    /// Copies bytes, which are the caller's to wipe.
    public init(bytes: Span<UInt8>) { secret = SharedSecret(Secret(copying: bytes)) }
}

extension Optional where Wrapped == PIN {
    /// The PIN's memory, if there is a PIN.
    var secret: SharedSecret? {
        switch self {
        case .some(let pin): pin.secret
        case .none: nil
        }
    }
}

/// Bytes that must not outlive their use, such as a key or a password. They are kept in locked memory, have no
/// printable form, cannot be copied by accident, and are overwritten when their owner releases them.
///
/// They cannot leave the block of `Token.perform` as its result; put them where they are
/// needed from within it.
public struct SecretBytes: ~Copyable, Sendable {
    let secret: Secret

    /// Takes over a secret's bytes.
    init(_ shared: SharedSecret) { secret = shared.secret.copy() }

    /// Takes over a text. The caller's copy of it stays where it is; prefer ``init(bytes:)`` for typed text.
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
