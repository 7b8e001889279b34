// SPDX-License-Identifier: Apache-2.0

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
