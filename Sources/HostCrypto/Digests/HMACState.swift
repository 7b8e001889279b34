// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
package import Secrets

/// HMAC (RFC 2104) over any of the hash functions, being computed.
///
/// Constant time in its secret inputs, the key and the message; their lengths show.
///
/// Between calls libcrypto has only the inner digest, which does not suffice to make a MAC: its memory is in core dumps
/// and in forked children.
package struct HMACState: ~Copyable, Sendable {
    private var inner: Digest
    private let algorithm: DigestAlgorithm
    /// As long as a block at most.
    private let key: Secret

    /// Begins a message under `key`, which can have any length. A key longer than a block is hashed first.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package init(_ algorithm: DigestAlgorithm, key: Span<UInt8>) throws(HostCryptoError) {
        if key.count > algorithm.blockSize {
            var digest = try Digest(algorithm)
            digest.update(key)
            let short = try digest.finalize()
            try self.init(algorithm, blockKey: short)
        } else {
            try self.init(algorithm, blockKey: Secret(copying: key))
        }
    }

    private init(_ algorithm: DigestAlgorithm, blockKey key: consuming Secret) throws(HostCryptoError) {
        let inner = try Self.begin(algorithm, key.bytes, pad: 0x36)
        self.init(algorithm, inner: inner, key: key)
    }

    private init(_ algorithm: DigestAlgorithm, inner: consuming Digest, key: consuming Secret) {
        self.algorithm = algorithm
        self.inner = inner
        self.key = key
    }

    /// The digest of one block, the key with `pad` added to every byte.
    private static func begin(
        _ algorithm: DigestAlgorithm, _ key: Span<UInt8>, pad: UInt8
    ) throws(HostCryptoError) -> Digest {
        var block = Secret(copying: key, zeros: algorithm.blockSize - key.count)
        var bytes = block.mutableBytes
        for index in bytes.indices { bytes[index] ^= pad }
        var digest = try Digest(algorithm)
        digest.update(block.bytes)
        return digest
    }

    /// Appends `data` to the message.
    package mutating func update(_ data: Span<UInt8>) {
        inner.update(data)
    }

    /// Ends the message and returns its MAC, as many bytes as a digest has.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package consuming func finalize() throws(HostCryptoError) -> Secret {
        var outer = try Self.begin(algorithm, key.bytes, pad: 0x5C)
        let digest = try inner.finalize()
        outer.update(digest.bytes)
        return try outer.finalize()
    }

    /// A second state under the same key that goes on from here.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package borrowing func copy() throws(HostCryptoError) -> HMACState {
        let inner = try inner.copy()
        return HMACState(algorithm, inner: inner, key: key.copy())
    }
}
