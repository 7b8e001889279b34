// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The digests of a content by some hash functions, and its form, as it passes by.
package final class ContentDigests {
    package private(set) var form = ContentForm()
    private let hashes: [Hash]

    private final class Hash {
        let algorithm: DigestAlgorithm
        var digest: Digest?

        init(_ algorithm: DigestAlgorithm) throws(HostCryptoError) {
            self.algorithm = algorithm
            digest = try Digest(algorithm)
        }
    }

    /// - Parameter algorithms: Those that do not resist collisions are left out, for no signature by them counts.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package init(_ algorithms: some Sequence<DigestAlgorithm>) throws(HostCryptoError) {
        var hashes: [Hash] = []
        for algorithm in Set(algorithms) where algorithm.resistsCollisions { hashes.append(try Hash(algorithm)) }
        self.hashes = hashes
    }

    package func update(_ data: Span<UInt8>) {
        for hash in hashes { hash.digest?.update(data) }
        form.update(data)
    }

    /// Ends the content.
    ///
    /// - Returns: Nothing after the first time.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func finalize() throws(HostCryptoError) -> [DigestAlgorithm: [UInt8]] {
        var values: [DigestAlgorithm: [UInt8]] = [:]
        for hash in hashes {
            guard let digest = hash.digest.take() else { continue }
            let bytes = try digest.finalize()
            values[hash.algorithm] = [UInt8](copying: bytes)
        }
        return values
    }
}
