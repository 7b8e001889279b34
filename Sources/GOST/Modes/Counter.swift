// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
import Secrets

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

    /// Both halves of the next block.
    package var halves: (left: UInt64, right: UInt64)
    private let part: Part

    /// The counter of the next block, as the kernels take it.
    var next: gost_counter {
        get { gost_counter(left: halves.left, right: halves.right, part: gost_part(part)) }
        set { halves = (newValue.left, newValue.right) }
    }

    /// A counter from `start`, one block or its first bytes; those that are missing count as zero.
    package init(_ start: Span<UInt8>, blockSize: Int, counting part: Part) {
        let shift = UInt64(64 - 4 * blockSize)
        self.part = part
        halves = (
            start.littleEndianUInt64(at: 0).byteSwapped >> shift,
            start.littleEndianUInt64(at: blockSize / 2).byteSwapped >> shift
        )
    }
}

extension gost_part {
    fileprivate init(_ part: Counter.Part) {
        self =
            switch part {
            case .whole: .whole
            case .left: .left
            case .right: .right
            }
    }
}
