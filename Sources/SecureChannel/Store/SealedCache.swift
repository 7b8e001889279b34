// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
package import Secrets
package import Storage

/// A directory of the user's own, of files that can be recreated at any time. They are enciphered and authenticated
/// under a key of the user's, which is stored beside them. A changed file counts as missing.
package struct SealedCache: Sendable {
    private let directory: SealedDirectory

    /// The greatest content that is kept.
    package static let limit = 1 << 20

    /// Finds the directory; it is the user's, and not accessible to others.
    ///
    /// - Parameter create: Whether to make it.
    /// - Returns: nil if it does not exist and is not to be created.
    package init?(path: String, create: Bool, random: any RandomSource) throws(StorageError) {
        // Never wait for another process.
        guard let own = try Directory.own(path, create: create, patience: 0) else { return nil }
        directory = SealedDirectory(local: own, shared: own, kind: .cache, random: random)
    }

    /// The content under an identity of 16 bytes; nil if it is missing or cannot be trusted.
    package func content(of identity: [UInt8]) -> [UInt8]? {
        guard let bytes = try? directory.bytes(of: directory.name(identity)), let key = try? directory.existingKey(),
            let file = SealedFile(opening: bytes, key: key, kind: .cache), file.identity == identity
        else { return nil }
        return [UInt8](copying: file.content)
    }

    /// Stores a content under the identity, in place of the former one. It is replaced as a whole or not at all.
    package func keep(_ content: [UInt8], as identity: [UInt8]) throws(ChannelError) {
        guard content.count <= Self.limit else { return }
        try directory.makeKey()
        guard let key = try directory.existingKey() else { return }
        let secret = Secret(copying: content)
        let file = try directory.seal(secret, identity: identity, key: key)
        try directory.write(file, identity: identity)
    }
}
