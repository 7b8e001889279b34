// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The block cipher GOST 28147-89 with one key, in the simple substitution mode (ECB; RFC 5830, 5).
package struct GOST28147: ~Copyable, Sendable {
    /// The bytes of a block.
    package static var blockSize: Int { 8 }

    let block: SecretBox<gost_block>

    /// A cipher with a key of 32 bytes.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``.
    package init(key: Span<UInt8>, sBox: SBox) throws(GOSTError) {
        guard key.count == 32 else { throw .invalidKeyLength }
        block = SecretBox(.gost28147, padding: key, rows: sBox.set)
    }

    private init(_ block: consuming SecretBox<gost_block>) { self.block = block }

    /// Enciphers whole blocks of 8 bytes. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    package func encryptECB(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard plaintext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: plaintext)
        var blocks = result.mutableBytes
        block.encrypt(&blocks)
        return result
    }

    /// Deciphers whole blocks of 8 bytes. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    package func decryptECB(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard ciphertext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: ciphertext)
        var blocks = result.mutableBytes
        block.decrypt(&blocks)
        return result
    }

    /// The cipher with the key that follows this one in CryptoPro Key Meshing: the constant C deciphered
    /// (RFC 4357, 2.3.2). Constant time in its secret inputs.
    package func meshed() -> GOST28147 {
        var next = SecretBox(copying: block)
        unsafe next.withUnsafeMutablePointer { unsafe gost_block_mesh($0) }
        return GOST28147(next)
    }

    /// A message under this key in a mode with an initialisation vector of 8 bytes.
    func message(_ mode: gost_mode, iv: Span<UInt8>, meshing: Bool) throws(GOSTError) -> SecretBox<gost_cipher> {
        guard iv.count == 8 else { throw .invalidIVLength }
        return SecretBox(block, mode, iv: iv, section: meshing ? 1024 : 0)
    }
}
