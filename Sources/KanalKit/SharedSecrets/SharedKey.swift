// SPDX-License-Identifier: Apache-2.0

import Configuration
import Logging
import Secrets
import SecureChannel
import Storage
import Token

/// The key of an access group, or of synchronised pairings, on its way to another machine: text of 79 characters. With it
/// and the replicated directory, all secrets of the group can be read, or all pairings used. See ``SecretBytes`` for how
/// it is kept.
public struct SharedKey: ~Copyable, Sendable {
    let secret: Secret

    init(_ shared: SharedSecret) { secret = shared.secret.copy() }

    /// Copies a text, in any case and spacing. The caller's copy of it stays where it is.
    public init(_ text: String) { secret = Secret(copying: Array(text.utf8)) }

    /// Copies a text, which is the caller's to wipe.
    public init(bytes: Span<UInt8>) { secret = Secret(copying: bytes) }

    /// Calls `body` with the text, in ASCII: groups of four letters and digits with hyphens between them.
    public func withText<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try secret.withBytes(body)
    }
}
