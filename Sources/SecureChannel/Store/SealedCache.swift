// SPDX-License-Identifier: Apache-2.0
package import Secrets
package import Storage

/// A directory of the user's own, of files that can be made anew at any time. They are enciphered and authenticated under a
/// key of the user's, which lies beside them. A file that is not as it was written counts as none.
package struct SealedCache: Sendable {
    private let directory: SealedDirectory

    /// The greatest content that is kept.
    package static let limit = 1 << 20

    /// Finds the directory; it is the user's, and nobody else can reach it.
    ///
    /// - Parameter create: Whether to make it.
    /// - Returns: nil if there is none and none is to be made.
    package init?(path: String, create: Bool, random: any RandomSource) throws(StorageError) {
        // What another process does at the moment is not waited for.
        guard let own = try Directory.own(path, create: create, patience: 0) else { return nil }
        directory = SealedDirectory(local: own, shared: own, kind: .cache, random: random)
    }

    /// What was kept under an identity of 16 octets; nil if there is nothing, or nothing that can be trusted.
    package func content(of identity: [UInt8]) -> [UInt8]? {
        guard let octets = try? directory.octets(of: directory.name(identity)), let key = try? directory.existingKey(),
            let file = SealedFile(opening: octets, key: key, kind: .cache), file.identity == identity
        else { return nil }
        return [UInt8](copying: file.content)
    }

    /// Keeps a content, in place of what was kept under the identity. It is replaced as a whole or not at all.
    package func keep(_ content: [UInt8], as identity: [UInt8]) throws(ChannelError) {
        guard content.count <= Self.limit else { return }
        try directory.makeKey()
        guard let key = try directory.existingKey() else { return }
        let secret = Secret(copying: content)
        let file = try directory.seal(secret, identity: identity, key: key)
        try directory.write(file, identity: identity)
    }
}

extension SealedFile.Kind {
    /// What everybody may read on a token.
    fileprivate static let cache = SealedFile.Kind(
        magic: Array("Kanal sealed cache".utf8) + [1], label: Array("Kanal cache".utf8), context: [], suffix: ".cache",
        limit: SealedCache.limit + 128)
}
