// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// GOST 28147-89 with linked blocks (CBC; RFC 4357, 2.1), for a message that comes in pieces of whole blocks and is
/// either enciphered or deciphered. Padding is the caller's.
package struct GOST28147CBC: ~Copyable, Sendable {
    private var meshed: MeshedCipher
    /// The last block of ciphertext, at first the initialisation vector.
    private var last: Secret

    /// Begins a message with a key of 32 bytes and an initialisation vector of 8. Constant time in its secret inputs.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 bytes. By the letter of RFC 4357, 2.3.2, the last
    ///   block of ciphertext is then enciphered with the new key before the next is linked to it. Libraries differ: some
    ///   change the key alone, some do not mesh in this mode. It is best avoided.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        guard iv.count == 8 else { throw .invalidIVLength }
        meshed = MeshedCipher(try GOST28147(key: key, sBox: sBox), meshing: meshing)
        last = Secret(copying: iv)
    }

    /// Enciphers the next blocks of the message. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    package mutating func encrypt(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard plaintext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: plaintext)
        var output = result.mutableBytes
        var done = 0
        while done < output.count {
            let count = beginBlocks(output.count - done)
            var blocks = output._mutatingExtracting(done..<done + count)
            meshed.cipher.link(&blocks, by: .input, register: &last)
            done += count
        }
        return result
    }

    /// Deciphers the next blocks of the message. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard ciphertext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: ciphertext)
        var output = result.mutableBytes
        var done = 0
        while done < output.count {
            let count = beginBlocks(output.count - done)
            var blocks = output._mutatingExtracting(done..<done + count)
            let links = last.appending(blocks.span)
            last = links.extracting(count..<count + 8)
            meshed.cipher.decrypt(&blocks)
            blocks.add(links.bytes, at: 0, count: count)
            done += count
        }
        return result
    }

    /// Counts the next blocks, and returns how many of so many bytes have the same key.
    private mutating func beginBlocks(_ bytes: Int) -> Int {
        let (bytes, keyHasChanged) = meshed.begin(bytes)
        if keyHasChanged { meshed.cipher.encrypt(&last) }
        return bytes
    }
}

/// GOST 28147-89 in the cipher feedback mode (RFC 5830, 7), for a message that comes in pieces and is either enciphered
/// or deciphered.
package struct GOST28147CFB: ~Copyable, Sendable {
    private var meshed: MeshedCipher
    /// The block of ciphertext so far, then the gamma's bytes that are not used yet.
    private var register: Secret
    private var used = 0

    /// Begins a message with a key of 32 bytes and an initialisation vector of 8. Constant time in its secret inputs.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 bytes (CryptoPro Key Meshing, RFC 4357, 2.3.2).
    ///   The caller decides, as for ``GOST28147CNT``, because the S-box does not: TC26's own samples of CMS mesh with
    ///   id-tc26-gost-28147-param-Z.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        guard iv.count == 8 else { throw .invalidIVLength }
        meshed = MeshedCipher(try GOST28147(key: key, sBox: sBox), meshing: meshing)
        register = Secret(copying: iv)
    }

    /// Enciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func encrypt(_ plaintext: Span<UInt8>) -> Secret {
        apply(plaintext, enciphering: true)
    }

    /// Deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) -> Secret {
        apply(ciphertext, enciphering: false)
    }

    /// The sum of `data` and the gamma.
    private mutating func apply(_ data: Span<UInt8>, enciphering: Bool) -> Secret {
        var result = Secret(copying: data)
        var output = result.mutableBytes
        var done = 0
        while done < data.count {
            if used == 0 {
                done += applyToBlocks(&output, from: done, enciphering: enciphering)
                guard done < data.count else { break }
                _ = beginBlocks(8)
                meshed.cipher.encrypt(&register)
            }
            output[done] ^= register.bytes[used]
            setByte(enciphering ? output[done] : data[done])
            used = (used + 1) % 8
            done += 1
        }
        return result
    }

    /// Adds the gamma to all whole blocks from `offset` on, and gives the number of their bytes.
    private mutating func applyToBlocks(
        _ output: inout MutableSpan<UInt8>, from offset: Int, enciphering: Bool
    ) -> Int {
        let end = output.count - (output.count - offset) % 8
        var done = offset
        while done < end {
            let count = beginBlocks(end - done)
            var blocks = output._mutatingExtracting(done..<done + count)
            if enciphering {
                meshed.cipher.link(&blocks, by: .output, register: &register)
            } else {
                decipher(&blocks)
            }
            done += count
        }
        return end - offset
    }

    /// Deciphers whole blocks. All that goes through the register is there beforehand.
    private mutating func decipher(_ blocks: inout MutableSpan<UInt8>) {
        let count = blocks.count
        var gamma = register.appending(blocks.span)
        register = gamma.extracting(count..<count + 8)
        var bytes = gamma.mutableBytes
        var inputs = bytes._mutatingExtracting(0..<count)
        meshed.cipher.encrypt(&inputs)
        blocks.add(gamma.bytes, at: 0, count: count)
    }

    /// Counts the next blocks, and returns how many of so many bytes have the same key.
    private mutating func beginBlocks(_ bytes: Int) -> Int {
        let (bytes, keyHasChanged) = meshed.begin(bytes)
        if keyHasChanged { meshed.cipher.encrypt(&register) }
        return bytes
    }

    private mutating func setByte(_ byte: UInt8) {
        let used = used
        var bytes = register.mutableBytes
        bytes[used] = byte
    }
}

/// GOST 28147-89 in the counter mode (CNT, the gamma mode; RFC 5830, 6), for a message that comes in pieces.
package struct GOST28147CNT: ~Copyable, Sendable {
    private let meshing: Bool
    private var cipher: GOST28147
    private var gamma: SecretBox<Gamma>

    /// Begins a message with a key of 32 bytes and an initialisation vector of 8.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 bytes (CryptoPro Key Meshing, RFC 4357, 2.3.2).
    ///   The standards tie this to the S-box's parameter set, but libraries differ, so that the caller decides.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        guard iv.count == 8 else { throw .invalidIVLength }
        let cipher = try GOST28147(key: key, sBox: sBox)
        var counter = Secret(copying: iv)
        cipher.encrypt(&counter)
        gamma = SecretBox(Gamma(counter: counter.bytes.littleEndianUInt64(at: 0)))
        self.cipher = cipher
        self.meshing = meshing
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func apply(_ data: Span<UInt8>) -> Secret {
        var result = Secret(copying: data)
        var bytes = result.mutableBytes
        var done = 0
        while done < data.count {
            if gamma.value.isUsedUp {
                let added = addGamma(to: &bytes, from: done)
                done += added
                if added > 0 { continue }
                refill()
            }
            bytes[done] ^= gamma.value.next()
            done += 1
        }
        return result
    }

    /// Makes the next 32 bytes of gamma, after the change of key if it is due.
    private mutating func refill() {
        changeKeyIfDue()
        gamma.value.append(cipher.encrypt(gamma.value.nextCounters()))
    }

    private mutating func changeKeyIfDue() {
        guard meshing, gamma.value.count == 1024 else { return }
        cipher = cipher.meshed()
        gamma.value = Gamma(counter: cipher.encrypt(SIMD4(gamma.value.counter, 0, 0, 0))[0])
    }

    /// Adds the next gamma to bytes from `offset` on, if there is a kernel for it: to all whole sections between
    /// changes of key, or to whole fours of blocks up to the next. Gives their number.
    private mutating func addGamma(to bytes: inout MutableSpan<UInt8>, from offset: Int) -> Int {
        let sections = (bytes.count - offset) / 1024 * 1024
        if meshing, gamma.value.count == 1024, sections > 0 {
            var blocks = bytes._mutatingExtracting(offset..<offset + sections)
            return cipher.addMeshedGamma(to: &blocks, counter: &gamma.value.counter) ? sections : 0
        }
        changeKeyIfDue()
        let count = min(bytes.count - offset, meshing ? 1024 - gamma.value.count : .max) / 32 * 32
        guard count > 0 else { return 0 }
        var blocks = bytes._mutatingExtracting(offset..<offset + count)
        guard cipher.addGamma(to: &blocks, counter: &gamma.value.counter) else { return 0 }
        gamma.value.count &+= count
        return count
    }
}

extension GOST28147CNT {
    /// The gamma under one key.
    struct Gamma: BitwiseCopyable, Sendable {
        /// N3 and N4: the low and the high half.
        fileprivate(set) var counter: UInt64
        /// The number of bytes made so far.
        fileprivate(set) var count = 0
        private var blocks = SIMD4<UInt64>()
        private var used = 32

        init(counter: UInt64) { self.counter = counter }

        var isUsedUp: Bool { used == 32 }

        /// The next four values of the counter. N3 counts modulo 2^32, N4 modulo 2^32 − 1.
        mutating func nextCounters() -> SIMD4<UInt64> {
            var counters = SIMD4<UInt64>()
            for index in 0..<4 {
                let n3 = UInt32(truncatingIfNeeded: counter) &+ 0x0101_0101
                let n4 = (counter >> 32) &+ 0x0101_0104
                counter = UInt64(n3) | ((n4 &+ (n4 >> 32)) << 32)
                counters[index] = counter
            }
            return counters
        }

        mutating func append(_ blocks: SIMD4<UInt64>) {
            self.blocks = blocks
            used = 0
            count &+= 32
        }

        /// The next byte. Its position is public.
        mutating func next() -> UInt8 {
            defer { used += 1 }
            return UInt8(truncatingIfNeeded: blocks[used / 8] >> UInt64(8 * (used % 8)))
        }
    }
}
