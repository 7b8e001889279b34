// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The register of the modes with feedback of GOST R 34.13-2015, 5.3 and 5.5: m bytes, one or more blocks.
///
/// Instead of being shifted, the register is a ring: the block that is enciphered to gamma makes room, byte by byte,
/// for the feedback.
struct FeedbackRegister<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    /// The feedback that follows the gamma in the register.
    enum Feedback {
        /// The gamma itself (OFB).
        case gamma
        /// The sum of gamma and input (CFB, enciphering).
        case output
        /// The input (CFB, deciphering).
        case input
    }

    private let cipher: Cipher
    private var bytes: Secret
    private var place = 0

    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidIVLength`` unless `iv` is one block or more.
    init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        guard !iv.isEmpty, iv.count % Cipher.blockSize == 0 else { throw .invalidIVLength }
        cipher = try Cipher(key: key)
        bytes = Secret(copying: iv)
    }

    /// The sum of `data` and the gamma.
    mutating func apply(_ data: Span<UInt8>, _ feedback: Feedback) -> Secret {
        var result = Secret(copying: data)
        var output = result.mutableBytes
        var done = 0
        while done < data.count {
            if place % Cipher.blockSize == 0 {
                done += applyToBlocks(&output, from: done, feedback)
                guard done < data.count else { break }
                cipher.encrypt(&bytes, place..<place + Cipher.blockSize)
            }
            let count = min(Cipher.blockSize - place % Cipher.blockSize, data.count - done)
            output.add(bytes.bytes, from: place, at: done, count: count)
            switch feedback {
            case .gamma: break
            case .output: setBytes(output.span.extracting(done..<done + count))
            case .input: setBytes(data.extracting(done..<done + count))
            }
            place = (place + count) % bytes.count
            done += count
        }
        return result
    }

    /// Adds the gamma to all whole blocks from `offset` on, if there is a way that is faster than one by one. Gives the
    /// number of their bytes. The register's next byte is the first of a block.
    private mutating func applyToBlocks(
        _ output: inout MutableSpan<UInt8>, from offset: Int, _ feedback: Feedback
    ) -> Int {
        let count = (output.count - offset) / Cipher.blockSize * Cipher.blockSize
        guard count > 0 else { return 0 }
        var blocks = output._mutatingExtracting(offset..<offset + count)
        if feedback == .input { return addGammaOfCiphertext(to: &blocks) }
        guard bytes.count == Cipher.blockSize else { return 0 }
        return cipher.link(&blocks, by: feedback == .gamma ? .gamma : .output, register: &bytes) ? count : 0
    }

    /// Deciphers whole blocks. All that goes through the register is there beforehand: its own blocks and the ciphertext.
    private mutating func addGammaOfCiphertext(to blocks: inout MutableSpan<UInt8>) -> Int {
        let count = blocks.count
        guard count > Cipher.blockSize else { return 0 }
        var inputs = Secret(copying: bytes.bytes.extracting(droppingFirst: place))
            .appending(bytes.bytes.extracting(first: place))
            .appending(blocks.span)
        bytes = inputs.extracting(count..<count + bytes.count)
        place = 0
        cipher.encrypt(&inputs, 0..<count)
        blocks.add(inputs.bytes, count: count)
        return count
    }

    /// Puts `feedback` in the place of as many bytes of gamma.
    private mutating func setBytes(_ feedback: Span<UInt8>) {
        let place = place
        var gamma = bytes.mutableBytes
        for index in feedback.indices { gamma[place + index] = feedback[index] }
    }
}

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
        if linkAll(&result) { return result }
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

    /// Enciphers all blocks, if the register is one block and there is a kernel for it.
    private mutating func linkAll(_ blocks: inout Secret) -> Bool {
        guard register.count == Cipher.blockSize else { return false }
        var bytes = blocks.mutableBytes
        return cipher.link(&bytes, by: .input, register: &register)
    }

    /// Puts the block of ciphertext at `offset` in the place of the oldest.
    private mutating func link(_ ciphertext: Span<UInt8>, at offset: Int) {
        let place = place
        var bytes = register.mutableBytes
        for index in 0..<Cipher.blockSize { bytes[place + index] = ciphertext[offset + index] }
        self.place = (place + Cipher.blockSize) % register.count
    }
}

/// The cipher feedback mode of GOST R 34.13-2015, 5.5, for a message that comes in pieces and is either enciphered or
/// deciphered. A whole block is fed back (s = n).
package struct CFB<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var register: FeedbackRegister<Cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of one or more whole blocks. Constant time
    /// in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        register = try FeedbackRegister(key: key, iv: iv)
    }

    /// Enciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func encrypt(_ plaintext: Span<UInt8>) -> Secret { register.apply(plaintext, .output) }

    /// Deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) -> Secret { register.apply(ciphertext, .input) }
}

/// The output feedback mode of GOST R 34.13-2015, 5.3, for a message that comes in pieces. The gamma of a block is used
/// whole (s = n).
package struct OFB<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var register: FeedbackRegister<Cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of one or more whole blocks. Constant time
    /// in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        register = try FeedbackRegister(key: key, iv: iv)
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) -> Secret { register.apply(data, .gamma) }
}
