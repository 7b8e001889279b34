// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The block cipher Kuznyechik of GOST R 34.12-2015 (RFC 7801). Constant time in keys and blocks.
package struct Kuznyechik: ~Copyable, BlockCipher {
    /// K_1…K_10, a round key of 16 bytes in two words each.
    typealias RoundKeys = InlineArray<10, SIMD2<UInt64>>

    /// The bytes of a block.
    package static var blockSize: Int { 16 }

    private var keys: SecretBox<RoundKeys>

    /// A cipher with the first 32 bytes of `key`; bytes that are missing count as zero. Constant time in its secret
    /// inputs.
    package init(padding key: Span<UInt8>) {
        keys = SecretBox(RoundKeys(repeating: SIMD2()))
        keys.value[0] = SIMD2(key.littleEndianUInt64(at: 0), key.littleEndianUInt64(at: 8))
        keys.value[1] = SIMD2(key.littleEndianUInt64(at: 16), key.littleEndianUInt64(at: 24))
        keys.schedule()
    }

    private init(_ keys: RoundKeys) { self.keys = SecretBox(keys) }

    /// A second cipher with the same key. Constant time in its secret inputs.
    package func copy() -> Kuznyechik { Kuznyechik(keys.value) }

    /// Enciphers every whole block of 16 bytes in place (RFC 7801, 4.4). Constant time in its secret inputs.
    package func encrypt(_ blocks: inout MutableSpan<UInt8>) { keys.encrypt(&blocks) }

    /// Deciphers every whole block of 16 bytes in place (RFC 7801, 4.5). Constant time in its secret inputs.
    package func decrypt(_ blocks: inout MutableSpan<UInt8>) { keys.decrypt(&blocks) }

    /// Adds enciphered counters to whole blocks of 16 bytes in place. Constant time in its secret inputs.
    package func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) {
        keys.addCounters(to: &blocks, counter: &counter)
    }

    /// Links whole blocks of 16 bytes in place. Constant time in its secret inputs.
    package func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) {
        keys.link(&blocks, by: chain, register: &register)
    }

    /// Adds whole blocks of 16 bytes to `register` and enciphers it after each of them. Constant time in its secret
    /// inputs.
    package func absorb(_ blocks: Span<UInt8>, into register: inout Secret) {
        keys.absorb(blocks, into: &register)
    }
}
