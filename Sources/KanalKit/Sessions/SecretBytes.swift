// SPDX-License-Identifier: Apache-2.0
import Secrets

/// Bytes that must not outlive their use, such as a key or a password. They are kept in locked memory, have no
/// printable form, cannot be copied by accident, and are overwritten when their owner releases them.
///
/// They cannot leave the block of ``Token/perform(as:pin:prompt:waitingFor:_:)`` as its result; put them where they are
/// needed from within it.
public struct SecretBytes: ~Copyable, Sendable {
    let secret: Secret

    /// Takes over a secret's bytes.
    init(_ shared: SharedSecret) { secret = shared.secret.copy() }

    /// Takes over a text. The caller's copy of it stays where it is; prefer ``init(octets:)`` for typed text.
    public init(_ text: String) { secret = Secret(copying: Array(text.utf8)) }

    /// Copies bytes, which are the caller's to wipe.
    public init(octets: Span<UInt8>) { secret = Secret(copying: octets) }

    /// The number of bytes.
    public var count: Int { secret.count }

    /// The bytes, for as long as the secret is borrowed. Copies of them are the caller's to wipe.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { secret.bytes }
    }
}
