// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The mode with linked blocks of GOST R 34.13-2015, 5.4, for a message that comes in pieces of whole blocks and is
/// either enciphered or deciphered. Padding is the caller's.
package struct CBC<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private let cipher: Cipher
    /// The last blocks of ciphertext, at first the initialisation vector, as a ring that begins at `place`.
    private var register: Secret
    private var place = 0

    /// Begins a message with a key of 32 bytes and an initialisation vector of one or more whole blocks. Constant time
    /// in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        guard !iv.isEmpty, iv.count % Cipher.blockSize == 0 else { throw .invalidIVLength }
        cipher = try Cipher(key: key)
        register = Secret(copying: iv)
    }

    /// Enciphers the next blocks of the message. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    package mutating func encrypt(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        let size = Cipher.blockSize
        guard plaintext.count % size == 0 else { throw .invalidLength }
        var result = Secret(copying: plaintext)
        if register.count == size {
            var blocks = result.mutableBytes
            cipher.link(&blocks, by: .input, register: &register)
            return result
        }
        for offset in stride(from: 0, to: plaintext.count, by: size) {
            var output = result.mutableBytes
            output.add(register.bytes, from: place, at: offset, count: size)
            cipher.encrypt(&result, offset..<offset + size)
            link(result.bytes, at: offset)
        }
        return result
    }

    /// Deciphers the next blocks of the message. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        let size = Cipher.blockSize
        guard ciphertext.count % size == 0 else { throw .invalidLength }
        var result = Secret(copying: ciphertext)
        var output = result.mutableBytes
        cipher.decrypt(&output)
        for offset in stride(from: 0, to: min(ciphertext.count, register.count), by: size) {
            output.add(register.bytes, from: (place + offset) % register.count, at: offset, count: size)
        }
        let linked = max(ciphertext.count - register.count, 0)
        output.add(ciphertext, at: ciphertext.count - linked, count: linked)
        place = (place + linked) % register.count
        for offset in stride(from: linked, to: ciphertext.count, by: size) { link(ciphertext, at: offset) }
        return result
    }

    /// Puts the block of ciphertext at `offset` in the place of the oldest.
    private mutating func link(_ ciphertext: Span<UInt8>, at offset: Int) {
        let place = place
        var bytes = register.mutableBytes
        for index in 0..<Cipher.blockSize { bytes[place + index] = ciphertext[offset + index] }
        self.place = (place + Cipher.blockSize) % register.count
    }
}
