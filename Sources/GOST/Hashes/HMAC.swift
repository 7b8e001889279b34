// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// HMAC (RFC 2104) over a GOST hash function: HMAC_GOSTR3411 of RFC 4357, 3, and HMAC_GOSTR3411_2012_256 and
/// HMAC_GOSTR3411_2012_512 of RFC 7836, 4.1.
///
/// Constant time in its secret inputs, the key and the message; their lengths show.
package struct HMAC<Hash: HashFunction & ~Copyable>: ~Copyable, Sendable {
    private var inner: Hash
    private var outer: Hash

    /// Begins a message under `key`, which can have any length. A key longer than a block is hashed first.
    package init(key: Span<UInt8>) {
        if key.count > Hash.blockSize {
            var hash = Hash()
            hash.update(key)
            let short = hash.finalize()
            self.init(blockKey: short.bytes)
        } else {
            self.init(blockKey: key)
        }
    }

    private init(blockKey key: Span<UInt8>) {
        inner = Self.begin(key, pad: 0x36)
        outer = Self.begin(key, pad: 0x5C)
    }

    private init(inner: consuming Hash, outer: consuming Hash) {
        self.inner = inner
        self.outer = outer
    }

    /// The hash of one block, the key with `pad` added to every byte.
    private static func begin(_ key: Span<UInt8>, pad: UInt8) -> Hash {
        var block = Secret(count: Hash.blockSize)
        var bytes = block.mutableBytes
        for index in bytes.indices { bytes[index] = pad ^ (index < key.count ? key[index] : 0) }
        var hash = Hash()
        hash.update(block.bytes)
        return hash
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) {
        inner.update(data)
    }

    /// Ends the message and returns its MAC, as many bytes as the hash's. Constant time in its secret inputs.
    package consuming func finalize() -> Secret {
        let digest = inner.finalize()
        outer.update(digest.bytes)
        return outer.finalize()
    }

    /// A second state under the same key that goes on from here.
    package borrowing func copy() -> HMAC {
        HMAC(inner: inner.copy(), outer: outer.copy())
    }

    /// The MAC of `data` under `key`. Constant time in its secret inputs.
    package static func authenticate(_ data: Span<UInt8>, key: Span<UInt8>) -> Secret {
        var code = HMAC(key: key)
        code.update(data)
        return code.finalize()
    }
}
