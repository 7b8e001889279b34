// SPDX-License-Identifier: Apache-2.0

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
            if partial.count == 0 { rest = absorbBlocks(rest) }
            rest = partial.fill(from: rest)
            if partial.isFull {
                absorb(SIMD8(littleEndian: partial.bytes), bits: 512)
                partial.clear()
            }
        }
    }

    /// Hashes the whole blocks at the front of `data`, and returns the rest of it.
    @_lifetime(copy data)
    private mutating func absorbBlocks(_ data: Span<UInt8>) -> Span<UInt8> {
        var rest = absorbBlocksByKernel(data)
        while rest.count >= 64 {
            absorb(SIMD8(littleEndian: rest), bits: 512)
            rest = rest.extracting(droppingFirst: 64)
        }
        return rest
    }

    /// Hashes the last block, padded with a one bit and zeros, then N, then Σ (RFC 6986, 9.3).
    mutating func finish() {
        let bits = UInt64(8 * partial.count)
        partial.append(1)
        absorb(SIMD8(littleEndian: partial.bytes), bits: bits)
        compress(SIMD8(length, 0, 0, 0, 0, 0, 0, 0), counter: 0)
        compress(sum, counter: 0)
    }

    /// Hashes a block, of which `bits` bits are the message's.
    private mutating func absorb(_ block: SIMD8<UInt64>, bits: UInt64) {
        compress(block, counter: length)
        length &+= bits
        sum = sum.adding(block)
    }

    private mutating func compress(_ block: SIMD8<UInt64>, counter: UInt64) {
        if !compressByKernel(block, counter: counter) {
            hash = Streebog.compress(hash, block, counter: counter)
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
