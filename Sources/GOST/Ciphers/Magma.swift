// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
package import Secrets

/// The block cipher Magma of GOST R 34.12-2015 (RFC 8891): GOST 28147-89 with the rows id-tc26-gost-28147-param-Z, a
/// block and the words of a key beginning with the most significant byte.
///
/// Constant time in keys and blocks.
package struct Magma: ~Copyable, BlockCipher {
    /// The bytes of a block.
    package static var blockSize: Int { 8 }

    private let keys: SecretBox<Keys28147>
    private let substitution = SBox.tc26Z.substitution

    /// A cipher with the first 32 bytes of `key`; bytes that are missing count as zero. Constant time in its secret
    /// inputs.
    package init(padding key: Span<UInt8>) {
        keys = SecretBox(Keys28147(bigEndian: key))
    }

    private init(_ keys: Keys28147) { self.keys = SecretBox(keys) }

    /// A second cipher with the same key. Constant time in its secret inputs.
    package func copy() -> Magma { Magma(keys.value) }

    /// Enciphers every whole block of 8 bytes in place (RFC 8891, 4.3). Constant time in its secret inputs.
    package func encrypt(_ blocks: inout MutableSpan<UInt8>) {
        keys.encrypt(&blocks, substitution, .big)
    }

    /// Deciphers every whole block of 8 bytes in place (RFC 8891, 4.4). Constant time in its secret inputs.
    package func decrypt(_ blocks: inout MutableSpan<UInt8>) {
        keys.decrypt(&blocks, substitution, .big)
    }

    /// Adds enciphered counters to whole blocks of 8 bytes in place. Constant time in its
    /// secret inputs.
    package func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) {
        keys.addCounters(to: &blocks, counter: &counter, substitution, .big)
    }

    /// Links whole blocks of 8 bytes in place. Constant time in its secret inputs.
    package func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) {
        keys.link(&blocks, by: chain, register: &register, substitution, .big)
    }

    /// Adds whole blocks of 8 bytes to `register` and enciphers it after each of them. Constant time in its secret
    /// inputs.
    package func absorb(_ blocks: Span<UInt8>, into register: inout Secret) {
        keys.absorb(blocks, into: &register, substitution, .big)
    }
}
