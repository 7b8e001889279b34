// SPDX-License-Identifier: Apache-2.0

/// The byte order of every GOST primitive here: the least significant byte comes first.
extension Span<UInt8> {
    /// The 64-bit number at `offset`. Bytes beyond the end count as zero.
    @inline(__always)
    func littleEndianUInt64(at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 where offset + index < count { word |= UInt64(self[offset + index]) << UInt64(8 * index) }
        return word
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
