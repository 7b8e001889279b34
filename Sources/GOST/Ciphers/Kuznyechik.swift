// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The block cipher Kuznyechik of GOST R 34.12-2015 (RFC 7801). Constant time in keys and blocks.
package struct Kuznyechik: ~Copyable, GOSTBlockCipher {
    package static var algorithm: CipherAlgorithm { .kuznyechik }

    private let block: SecretBox<gost_block>

    /// A cipher with the first 32 bytes of `key`; bytes that are missing count as zero. Constant time in its secret
    /// inputs.
    package init(padding key: Span<UInt8>) { block = SecretBox(.kuznyechik, padding: key) }

    private init(_ block: consuming SecretBox<gost_block>) { self.block = block }

    /// A second cipher with the same key. Constant time in its secret inputs.
    package func copy() -> Kuznyechik { Kuznyechik(SecretBox(copying: block)) }

    /// Enciphers every whole block of 16 bytes in place (RFC 7801, 4.4). Constant time in its secret inputs.
    package func encrypt(_ blocks: inout MutableSpan<UInt8>) { block.encrypt(&blocks) }

    /// Deciphers every whole block of 16 bytes in place (RFC 7801, 4.5). Constant time in its secret inputs.
    package func decrypt(_ blocks: inout MutableSpan<UInt8>) { block.decrypt(&blocks) }

    /// Adds enciphered counters to whole blocks of 16 bytes in place. Constant time in its secret inputs.
    package func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) {
        block.addGamma(to: &blocks, counter: &counter)
    }

    /// Links whole blocks of 16 bytes in place. Constant time in its secret inputs.
    package func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) {
        block.link(&blocks, by: chain, register: &register)
    }
}
