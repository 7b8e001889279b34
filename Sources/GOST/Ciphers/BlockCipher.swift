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

    /// Adds to every whole block, in place, the enciphered counter that is its own, and leaves in `counter` the one that
    /// follows.
    ///
    /// - Returns: Whether it has been done. False, with nothing done, unless there is a faster way than ``encrypt(_:)``
    ///   of many counters.
    func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) -> Bool

    /// Links all whole blocks in place; `register` is one block, before and after.
    ///
    /// - Returns: Whether it has been done. False, with nothing done, unless there is a faster way than ``encrypt(_:)``
    ///   of block after block.
    func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) -> Bool

    /// Adds to `register`, which is one block, whole blocks in turn, and enciphers it after each of them.
    ///
    /// - Returns: As ``link(_:by:register:)``.
    func absorb(_ blocks: Span<UInt8>, into register: inout Secret) -> Bool
}

extension BlockCipher where Self: ~Copyable {
    /// The bytes of a key: 32 for both ciphers of the standard.
    package static var keySize: Int { 32 }

    package func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) -> Bool { false }

    package func link(
        _ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret
    ) -> Bool { false }

    package func absorb(_ blocks: Span<UInt8>, into register: inout Secret) -> Bool { false }

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

/// GOST 28147-89 whose key changes after every 1024 bytes, if it is to (CryptoPro Key Meshing, RFC 4357, 2.3.2).
struct MeshedCipher: ~Copyable, Sendable {
    private(set) var cipher: GOST28147
    private let meshing: Bool
    private var count = 0

    init(_ cipher: consuming GOST28147, meshing: Bool) {
        self.cipher = cipher
        self.meshing = meshing
    }

    /// Counts the next blocks, of `bytes` bytes or as many of them as have the same key, and changes the key before
    /// them if that is due.
    ///
    /// - Returns: Their number of bytes, and whether the key has changed.
    mutating func begin(_ bytes: Int) -> (bytes: Int, keyHasChanged: Bool) {
        guard meshing else { return (bytes, false) }
        let isDue = count == 1024
        if isDue {
            cipher = cipher.meshed()
            count = 0
        }
        let bytes = min(bytes, 1024 - count)
        count += bytes
        return (bytes, isDue)
    }
}
