// SPDX-License-Identifier: Apache-2.0

package import Secrets

extension MutableSpan<UInt8> {
    /// Adds, modulo 2, `count` bytes of `other` from `start` to those at `offset`; both ranges exist.
    @_lifetime(self: copy self)
    mutating func add(_ other: Span<UInt8>, from start: Int = 0, at offset: Int = 0, count: Int) {
        var index = 0
        while index + 8 <= count {
            let word = unsafe other.bytes.unsafeLoadUnaligned(fromByteOffset: start + index, as: UInt64.self)
            setWord(self.word(at: offset + index) ^ UInt64(littleEndian: word), at: offset + index)
            index += 8
        }
        while index < count {
            self[offset + index] ^= other[start + index]
            index += 1
        }
    }
}

extension BlockCipher where Self: ~Copyable {
    /// The key that ACPKM puts after this cipher's (RFC 8645, 6.2.1; R 1323565.1.017-2018): the bytes 80, 81, …, 9F
    /// enciphered. Constant time in its secret inputs.
    package func nextKey() -> Secret {
        var key = Secret(count: Self.keySize)
        var bytes = key.mutableBytes
        for index in bytes.indices { bytes[index] = 0x80 &+ UInt8(truncatingIfNeeded: index) }
        encrypt(&bytes)
        return key
    }

    /// The cipher with the key that ACPKM puts after this one's.
    func rekeyed() -> Self { Self(padding: nextKey().bytes) }
}

/// ACPKM-Master (RFC 8645, 6.3.1): key material without end from a master key, in pieces.
package struct ACPKMMaster<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var gamma: Gamma<Cipher>

    /// Begins with a master key of 32 bytes that itself changes after every `section` bytes (T*), whole blocks.
    /// Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidParameter`` for the section.
    package init(key: Span<UInt8>, section: Int) throws(GOSTError) {
        guard section > 0, section % Cipher.blockSize == 0 else { throw .invalidParameter }
        let ones = [UInt8](repeating: 0xFF, count: Cipher.blockSize / 2)
        gamma = Gamma(try Cipher(key: key), counter: ones.span, section: section)
    }

    /// The next `count` bytes of key material; none for a negative count. Constant time in its secret inputs.
    package mutating func next(_ count: Int) -> Secret { gamma.next(count) }
}
