// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// A block cipher of GOST R 34.12-2015 with one key: the base of the modes of operation.
///
/// Both directions take many blocks at once, because side by side they are many times faster than one after another.
/// Constant time in keys and blocks.
package protocol BlockCipher: ~Copyable, Sendable {
    /// The bytes of a block.
    static var blockSize: Int { get }

    /// The bytes of a key.
    static var keySize: Int { get }

    /// A cipher with the first ``keySize`` bytes of `key`; bytes that are missing count as zero.
    init(padding key: Span<UInt8>)

    /// A second cipher with the same key.
    func copy() -> Self

    /// Enciphers every whole block in place. Bytes after the last whole block are not changed.
    func encrypt(_ blocks: inout MutableSpan<UInt8>)

    /// Deciphers every whole block in place. Bytes after the last whole block are not changed.
    func decrypt(_ blocks: inout MutableSpan<UInt8>)

    /// Adds to every whole block, in place, its own enciphered counter, and leaves in `counter` the counter that
    /// follows.
    func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter)

    /// Links all whole blocks in place; `register` is one block, before and after.
    func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret)
}

extension BlockCipher where Self: ~Copyable {
    /// The bytes of a key: 32 for both ciphers of the standard.
    package static var keySize: Int { 32 }

    /// A cipher with a key of ``keySize`` bytes. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``.
    package init(key: Span<UInt8>) throws(GOSTError) {
        guard key.count == Self.keySize else { throw .invalidKeyLength }
        self.init(padding: key)
    }
}

extension BlockCipher where Self: ~Copyable {
    /// Enciphers whole blocks one by one (ECB; GOST R 34.13-2015, 5.1). Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    package func encryptECB(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard plaintext.count % Self.blockSize == 0 else { throw .invalidLength }
        var result = Secret(copying: plaintext)
        encrypt(&result, 0..<result.count)
        return result
    }

    /// Deciphers whole blocks one by one (ECB; GOST R 34.13-2015, 5.1). Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    package func decryptECB(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard ciphertext.count % Self.blockSize == 0 else { throw .invalidLength }
        var result = Secret(copying: ciphertext)
        var blocks = result.mutableBytes
        decrypt(&blocks)
        return result
    }

    /// Enciphers the blocks in a part of `data` in place.
    func encrypt(_ data: inout Secret, _ range: Range<Int>) {
        var bytes = data.mutableBytes
        var blocks = bytes._mutatingExtracting(range)
        encrypt(&blocks)
    }
}
