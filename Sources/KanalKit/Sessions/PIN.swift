// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A PIN. It is kept in locked memory, has no printable form, and cannot be copied by accident.
public struct PIN: ~Copyable, Sendable {
    let secret: SharedSecret

    init(_ secret: SharedSecret) { self.secret = secret }

    /// A second owner of the same memory, for functions that take an optional PIN.
    package init(sharing other: borrowing PIN) { secret = other.secret }

    /// Copies a text. The caller's copy of it stays where it is; prefer ``init(bytes:)`` for typed text.
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
