// SPDX-License-Identifier: Apache-2.0
import Secrets

/// The byte order of every GOST primitive here: the least significant byte comes first.
extension Span<UInt8> {
    /// The 64-bit number at `offset`. Bytes beyond the end count as zero.
    @inline(__always)
    func littleEndianUInt64(at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 where offset + index < count { word |= UInt64(self[offset + index]) << UInt64(8 * index) }
        return word
    }

    /// The 32-bit number at `offset`. Bytes beyond the end count as zero.
    @inline(__always)
    func littleEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: littleEndianUInt64(at: offset))
    }
}

extension MutableSpan<UInt8> {
    /// The 64-bit number at `offset`, all of whose bytes are there.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Writes `word` at `offset`, where all of it fits.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func setWord(_ word: UInt64, at offset: Int) {
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Writes `word` at `offset`. Bytes beyond the end are dropped.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func setLittleEndian(_ word: some FixedWidthInteger, at offset: Int) {
        for index in 0..<(word.bitWidth / 8) where offset + index < count {
            self[offset + index] = UInt8(truncatingIfNeeded: word >> (8 * index))
        }
    }
}

extension SIMD where Scalar == UInt64 {
    /// The number in the first bytes, least significant first.
    init(littleEndian bytes: Span<UInt8>) {
        self.init()
        for index in indices { self[index] = bytes.littleEndianUInt64(at: 8 * index) }
    }

    /// The sum of two numbers, least significant word first, without the carry out of the last word.
    ///
    /// Constant time: the carry is the majority of the highest bits of both words and of what is missing in the sum, not
    /// the outcome of a comparison, which a compiler may turn into a jump.
    func adding(_ other: Self) -> Self {
        var sum = Self()
        var carry: UInt64 = 0
        for index in indices {
            let (a, b) = (self[index], other[index])
            sum[index] = a &+ b &+ carry
            carry = ((a & b) | ((a | b) & ~sum[index])) >> 63
        }
        return sum
    }
}

extension [UInt8] {
    /// `number` in `count` bytes, or in as few as hold it, most significant byte first.
    init(bigEndian number: Int, count: Int? = nil) {
        let count = count ?? (Int.bitWidth - number.leadingZeroBitCount + 7) / 8
        self = (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// `number` in as many bytes as its type has, most significant byte first.
    init(bigEndian number: some FixedWidthInteger & UnsignedInteger) {
        self.init(bigEndian: Int(truncatingIfNeeded: number), count: number.bitWidth / 8)
    }
}

extension Secret {
    /// The bytes of some of the words of `number`.
    init<Words: SIMD>(littleEndian number: Words, _ words: Range<Int>) where Words.Scalar == UInt64 {
        self.init(count: 8 * words.count)
        var bytes = mutableBytes
        for index in words { bytes.setLittleEndian(number[index], at: 8 * (index - words.lowerBound)) }
    }
}
