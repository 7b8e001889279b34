// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// A block that counts, as two halves of n/2 bits, the most significant byte first. It may be secret: it counts in
/// constant time.
package struct Counter: BitwiseCopyable, Sendable {
    /// Which bits of the block count.
    package enum Part: BitwiseCopyable, CaseIterable, Sendable {
        /// The whole block, modulo 2^n (GOST R 34.13-2015, 5.2).
        case whole
        /// The left half, modulo 2^(n/2), the right one unchanged (incr_l of RFC 9058, 3).
        case left
        /// The right half, modulo 2^(n/2), the left one unchanged (incr_r of RFC 9058, 3).
        case right
    }

    var left: UInt64
    var right: UInt64
    let part: Part
    private let bits: UInt64

    /// A counter from `start`, one block or its first bytes; those that are missing count as zero.
    package init(_ start: Span<UInt8>, blockSize: Int, counting part: Part) {
        bits = UInt64(4 * blockSize)
        left = start.littleEndianUInt64(at: 0).byteSwapped >> (64 - bits)
        right = start.littleEndianUInt64(at: blockSize / 2).byteSwapped >> (64 - bits)
        self.part = part
    }

    /// Writes the block at `offset` and counts on.
    @inline(__always)
    package mutating func write(_ blocks: inout MutableSpan<UInt8>, at offset: Int) {
        if bits == 32 {
            blocks.setWord((left << 32 | right).byteSwapped, at: offset)
        } else {
            blocks.setWord(left.byteSwapped, at: offset)
            blocks.setWord(right.byteSwapped, at: offset + 8)
        }
        let mask = UInt64.max >> (64 - bits)
        let next = (right &+ 1) & mask
        switch part {
        case .whole: (left, right) = ((left &+ ((right & ~next) >> (bits - 1))) & mask, next)
        case .left: left = (left &+ 1) & mask
        case .right: right = next
        }
    }
}

/// Enciphered counters, made in batches: the counter modes add them to a message, and MGM multiplies it by them.
struct Gamma<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    /// The bytes of a batch: enough for a cipher to work at full width.
    private static var batch: Int { 2048 }

    private var cipher: Cipher
    private var counter: SecretBox<Counter>
    private var bytes = Secret(count: 0)
    private var used = 0
    private let section: Int
    private var sectionRest: Int

    /// Gamma from the counter that begins with `start`.
    ///
    /// - Parameter section: The bytes after which ACPKM changes the key, whole blocks.
    init(
        _ cipher: consuming Cipher, counter start: Span<UInt8>, counting part: Counter.Part = .whole,
        section: Int = .max
    ) {
        self.cipher = cipher
        self.section = section
        sectionRest = section
        counter = SecretBox(Counter(start, blockSize: Cipher.blockSize, counting: part))
    }

    /// Adds the next bytes of gamma to `data`.
    mutating func add(to data: inout MutableSpan<UInt8>) {
        var done = 0
        while done < data.count {
            if used == bytes.count {
                let added = addBlocks(to: &data, from: done)
                done += added
                if added > 0 { continue }
                refill(wanted: data.count - done)
            }
            let count = min(bytes.count - used, data.count - done)
            data.add(bytes.bytes, from: used, at: done, count: count)
            used += count
            done += count
        }
    }

    /// Adds gamma to all whole blocks from `offset` on, or to those under the same key, if the cipher does so itself.
    /// Gives the number of their bytes.
    private mutating func addBlocks(to data: inout MutableSpan<UInt8>, from offset: Int) -> Int {
        changeKeyIfDue()
        let count = min((data.count - offset) / Cipher.blockSize * Cipher.blockSize, sectionRest)
        var blocks = data._mutatingExtracting(offset..<offset + count)
        guard count > 0, cipher.addGamma(to: &blocks, counter: &counter.value) else { return 0 }
        if section != .max { sectionRest -= count }
        return count
    }

    /// The next `count` bytes of gamma.
    mutating func next(_ count: Int) -> Secret {
        var result = Secret(count: count)
        var bytes = result.mutableBytes
        add(to: &bytes)
        return result
    }

    /// Makes `wanted` bytes of gamma, rounded up to blocks, or fewer: at most a batch, and none under the next key.
    private mutating func refill(wanted: Int) {
        changeKeyIfDue()
        let size = Cipher.blockSize
        let count = min((min(wanted, Self.batch) + size - 1) / size * size, Self.batch, sectionRest)
        var batch = Secret(count: count)
        var blocks = batch.mutableBytes
        for offset in stride(from: 0, to: count, by: size) { counter.value.write(&blocks, at: offset) }
        cipher.encrypt(&blocks)
        bytes = batch
        used = 0
        if section != .max { sectionRest -= count }
    }

    private mutating func changeKeyIfDue() {
        guard sectionRest == 0 else { return }
        cipher = cipher.rekeyed()
        sectionRest = section
    }
}

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

/// The counter mode of GOST R 34.13-2015, 5.2, for a message that comes in pieces.
///
/// The standard lets s bytes of each block of gamma be used; here s is the whole block, as in every protocol.
package struct CTR<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var gamma: Gamma<Cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of half a block, the counter's upper half.
    /// Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        guard iv.count == Cipher.blockSize / 2 else { throw .invalidIVLength }
        gamma = Gamma(try Cipher(key: key), counter: iv)
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) -> Secret {
        var result = Secret(copying: data)
        var bytes = result.mutableBytes
        gamma.add(to: &bytes)
        return result
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

/// The counter mode with ACPKM re-keying (CTR-ACPKM; RFC 8645, 6.2.2; R 1323565.1.017-2018), for a message that comes
/// in pieces.
package struct CTRACPKM<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var gamma: Gamma<Cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of half a block. Constant time in its
    /// secret inputs.
    ///
    /// - Parameter section: The bytes after which the key changes (N), whole blocks.
    /// - Throws: ``GOSTError/invalidKeyLength``, ``GOSTError/invalidIVLength``, or ``GOSTError/invalidParameter`` for
    ///   the section.
    package init(key: Span<UInt8>, iv: Span<UInt8>, section: Int) throws(GOSTError) {
        guard iv.count == Cipher.blockSize / 2 else { throw .invalidIVLength }
        guard section > 0, section % Cipher.blockSize == 0 else { throw .invalidParameter }
        gamma = Gamma(try Cipher(key: key), counter: iv, section: section)
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) -> Secret {
        var result = Secret(copying: data)
        var bytes = result.mutableBytes
        gamma.add(to: &bytes)
        return result
    }

    /// Enciphers or deciphers the next bytes of the message in their place. Constant time in its secret inputs.
    package mutating func apply(to data: inout MutableSpan<UInt8>) { gamma.add(to: &data) }
}
