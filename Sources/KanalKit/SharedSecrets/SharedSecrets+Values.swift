// SPDX-License-Identifier: Apache-2.0
import Secrets

/// The key of an access group on its way to another machine: text of 79 characters. With it and the replicated
/// directory, all secrets of the group can be read. See ``SecretBytes`` for how it is kept.
public struct SharedKey: ~Copyable, Sendable {
    let secret: Secret

    init(_ shared: SharedSecret) { secret = shared.secret.copy() }

    /// Takes over a text, in any case and spacing. The caller's copy of it stays where it is.
    public init(_ text: String) { secret = Secret(copying: Array(text.utf8)) }

    /// Copies a text, which is the caller's to wipe.
    public init(octets: Span<UInt8>) { secret = Secret(copying: octets) }

    /// The text, in ASCII, for as long as the key is borrowed: groups of four letters and digits with hyphens between them.
    public var text: Span<UInt8> {
        @_lifetime(borrow self)
        get { secret.bytes }
    }
}

/// The name by which a secret is found.
public struct SecretItem: Sendable, Hashable {
    /// The purpose of the secret, for instance the name of a server.
    public let service: String
    /// Whose it is; may be empty.
    public let account: String
}

/// A file in the directory of the secrets that cannot be read.
public struct UnreadableFile: Sendable, Equatable {
    /// The file's name in the directory.
    public let name: String
    /// Whether it is a damaged file of a secret of this access group. Otherwise it may be of another group, or not a
    /// secret at all.
    public let isOfThisGroup: Bool
}
