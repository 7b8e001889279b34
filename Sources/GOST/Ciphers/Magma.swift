// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
package import Secrets

/// The block cipher Magma of GOST R 34.12-2015 (RFC 8891): GOST 28147-89 with the rows id-tc26-gost-28147-param-Z, a
/// block and the words of a key beginning with the most significant byte.
///
/// Constant time in keys and blocks.
package struct Magma: ~Copyable, GOSTBlockCipher {
    package static var algorithm: CipherAlgorithm { .magma }

    private let block: SecretBox<gost_block>

    /// A cipher with the first 32 bytes of `key`; bytes that are missing count as zero. Constant time in its secret
    /// inputs.
    package init(padding key: Span<UInt8>) { block = SecretBox(.magma, padding: key) }

    private init(_ block: consuming SecretBox<gost_block>) { self.block = block }

    /// A second cipher with the same key. Constant time in its secret inputs.
    package func copy() -> Magma { Magma(SecretBox(copying: block)) }

    /// Enciphers every whole block of 8 bytes in place (RFC 8891, 4.3). Constant time in its secret inputs.
    package func encrypt(_ blocks: inout MutableSpan<UInt8>) { block.encrypt(&blocks) }

    /// Deciphers every whole block of 8 bytes in place (RFC 8891, 4.4). Constant time in its secret inputs.
    package func decrypt(_ blocks: inout MutableSpan<UInt8>) { block.decrypt(&blocks) }

    /// Adds enciphered counters to whole blocks of 8 bytes in place. Constant time in its secret inputs.
    package func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) {
        block.addGamma(to: &blocks, counter: &counter)
    }

    /// Links whole blocks of 8 bytes in place. Constant time in its secret inputs.
    package func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) {
        block.link(&blocks, by: chain, register: &register)
    }
}
