// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The block cipher GOST 28147-89 with one key, in the simple substitution mode (ECB; RFC 5830, 5).
package struct GOST28147: ~Copyable, Sendable {
    /// The bytes of a block.
    package static var blockSize: Int { 8 }

    private var keys: SecretBox<Keys28147>
    private let substitution: Substitution

    /// A cipher with a key of 32 bytes.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``.
    package init(key: Span<UInt8>, sBox: SBox) throws(GOSTError) {
        guard key.count == 32 else { throw .invalidKeyLength }
        self.init(key, sBox.substitution)
    }

    private init(_ key: Span<UInt8>, _ substitution: Substitution) {
        keys = SecretBox(Keys28147(repeating: key))
        self.substitution = substitution
    }

    /// Enciphers whole blocks of 8 bytes. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    package func encryptECB(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard plaintext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: plaintext)
        var blocks = result.mutableBytes
        encrypt(&blocks)
        return result
    }

    /// Deciphers whole blocks of 8 bytes. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    package func decryptECB(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard ciphertext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: ciphertext)
        var blocks = result.mutableBytes
        decrypt(&blocks)
        return result
    }

    /// Adds the gamma that follows `counter` (RFC 5830, 6) to every whole block in place.
    func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout UInt64) {
        keys.addGamma(to: &blocks, counter: &counter, substitution, .little)
    }

    /// Adds gamma to whole sections of 1024 bytes in place, before each of which key and counter change (RFC 4357,
    /// 2.3.2).
    mutating func addMeshedGamma(to sections: inout MutableSpan<UInt8>, counter: inout UInt64) {
        keys.addMeshedGamma(to: &sections, counter: &counter, substitution)
    }

    /// Enciphers every whole block in place.
    func encrypt(_ blocks: inout MutableSpan<UInt8>) { keys.encrypt(&blocks, substitution, .little) }

    /// Enciphers every whole block of `bytes` in place.
    func encrypt(_ bytes: inout Secret) {
        var blocks = bytes.mutableBytes
        encrypt(&blocks)
    }

    /// Enciphers a block that is a number, its first byte the lowest.
    func encrypt(_ number: inout UInt64) { keys.encrypt(&number, substitution) }

    /// Deciphers every whole block in place.
    func decrypt(_ blocks: inout MutableSpan<UInt8>) { keys.decrypt(&blocks, substitution, .little) }

    /// Links all whole blocks in place; `register` is one block.
    func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) {
        keys.link(&blocks, by: chain, register: &register, substitution, .little)
    }

    /// Adds every whole block to the state of the authentication code (RFC 5830, 8): sixteen rounds after each.
    func authenticate(_ blocks: Span<UInt8>, _ code: inout UInt64) { keys.authenticate(blocks, &code, substitution) }

    /// The cipher with the key that follows this one in CryptoPro Key Meshing: the constant C deciphered
    /// (RFC 4357, 2.3.2). Constant time in its secret inputs.
    package func meshed() -> GOST28147 {
        let c: [UInt8] = [
            0x69, 0x00, 0x72, 0x22, 0x64, 0xC9, 0x04, 0x23, 0x8D, 0x3A, 0xDB, 0x96, 0x46, 0xE9, 0x2A, 0xC4,
            0x18, 0xFE, 0xAC, 0x94, 0x00, 0xED, 0x07, 0x12, 0xC0, 0x86, 0xDC, 0xC2, 0xEF, 0x4C, 0xA9, 0x2B,
        ]
        var key = Secret(copying: c)
        var blocks = key.mutableBytes
        decrypt(&blocks)
        return GOST28147(key.bytes, substitution)
    }
}
