// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
import Secrets

/// The iteration of GOST R 34.11-2012 (RFC 6986, 9), the same for both lengths of the hash code.
struct StreebogState: BitwiseCopyable, Sendable {
    /// h, the number N of the message's bits, and the sum Σ of all blocks modulo 2^512.
    var hash: SIMD8<UInt64>
    var length: UInt64 = 0
    var sum = SIMD8<UInt64>()
    private var partial = PartialBlock<64>()

    /// The state before the first byte; every word of IV is `initial` (RFC 6986, 6.1).
    init(initial: UInt64) { hash = SIMD8(repeating: initial) }

    mutating func update(_ data: Span<UInt8>) {
        var rest = data
        while !rest.isEmpty {
            if partial.count == 0 {
                let count = rest.count / 64 * 64
                Self.absorb(rest.extracting(first: count), &hash, &length, &sum)
                rest = rest.extracting(droppingFirst: count)
            }
            rest = partial.fill(from: rest)
            if partial.isFull {
                Self.absorb(partial.bytes, &hash, &length, &sum)
                partial.clear()
            }
        }
    }

    /// Hashes the last block, padded with a one bit and zeros, then N, then Σ (RFC 6986, 9.3).
    mutating func finish() {
        let bits = UInt64(8 * partial.count)
        partial.append(1)
        let block = SIMD8<UInt64>(littleEndian: partial.bytes)
        compress(block, counter: length)
        compress(SIMD8(length &+ bits, 0, 0, 0, 0, 0, 0, 0), counter: 0)
        compress(sum.adding(block), counter: 0)
    }
}
