// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The compression function of GOST R 34.11-2012 (RFC 6986, 8). Vectors of 512 bits are eight words, the least
/// significant first. Constant time.
enum Streebog {
    /// g_N(h, m) = E(LPS(h + N), m) + h + m, with N = `counter`.
    static func compress(_ hash: SIMD8<UInt64>, _ block: SIMD8<UInt64>, counter: UInt64) -> SIMD8<UInt64> {
        // Lane 0 is the vector that E enciphers, lane 1 the round key; first the key alone.
        var rows = Rows(repeating: SIMD2())
        for row in 0..<8 { rows[row][1] = hash[row] }
        rows[0][1] ^= counter
        lps(&rows)
        for row in 0..<8 { rows[row][0] = block[row] }

        for round in 0..<12 {
            for row in 0..<8 { rows[row] ^= SIMD2(rows[row][1], constants[round][row]) }
            lps(&rows)
        }

        var result = hash ^ block
        for row in 0..<8 { result[row] ^= rows[row][0] ^ rows[row][1] }
        return result
    }

    /// C_1…C_12 (RFC 6986, 6.5).
    static let constants = InlineArray<12, SIMD8<UInt64>> { round in
        var constant = SIMD8<UInt64>()
        for word in 0..<8 { constant[word] = unsafe gost_streebog_constants()?[8 * round + word] ?? 0 }
        return constant
    }
}

/// The hash function GOST R 34.11-2012 with a hash code of 256 bits (RFC 6986).
package struct Streebog256: HashFunction, ~Copyable {
    package static var digestSize: Int { 32 }
    package static var blockSize: Int { 64 }

    private var state: SecretBox<StreebogState>

    package init() {
        state = SecretBox(StreebogState(initial: 0x0101_0101_0101_0101))
    }

    private init(_ state: StreebogState) {
        self.state = SecretBox(state)
    }

    package mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    package consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 4..<8)
    }

    package borrowing func copy() -> Streebog256 {
        Streebog256(state.value)
    }
}

/// The hash function GOST R 34.11-2012 with a hash code of 512 bits (RFC 6986).
package struct Streebog512: HashFunction, ~Copyable {
    package static var digestSize: Int { 64 }
    package static var blockSize: Int { 64 }

    private var state: SecretBox<StreebogState>

    package init() {
        state = SecretBox(StreebogState(initial: 0))
    }

    private init(_ state: StreebogState) {
        self.state = SecretBox(state)
    }

    package mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    package consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 0..<8)
    }

    package borrowing func copy() -> Streebog512 {
        Streebog512(state.value)
    }
}

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

/// The transformation LPS of GOST R 34.11-2012 (RFC 6986, 6 and 7), on two vectors of 512 bits at once, one in each lane.
///
/// No table is indexed by data. S is a circuit over bit planes; P and L are one step, because L multiplies by a matrix
/// over GF(2^8), where t^8 + t^4 + t^3 + t^2 + 1 = 0: of row j of the vector, every byte is multiplied by the same
/// element. Constant time.
extension Streebog {
    typealias Rows = InlineArray<8, SIMD2<UInt64>>

    static func lps(_ rows: inout Rows) {
        transposeBits(&rows)
        substitute(&rows)
        transposeBits(&rows)
        multiply(&rows)
        transposeBytes(&rows)
    }

    /// Turns rows into bit planes and back: bit b of byte i of row j becomes bit j of byte i of row b.
    @inline(__always)
    static func transposeBits(_ rows: inout Rows) {
        transpose(&rows, distance: 1, shift: 1, mask: 0x5555_5555_5555_5555)
        transpose(&rows, distance: 2, shift: 2, mask: 0x3333_3333_3333_3333)
        transpose(&rows, distance: 4, shift: 4, mask: 0x0F0F_0F0F_0F0F_0F0F)
    }

    /// The transformation P: byte i of row j becomes byte j of row i.
    @inline(__always)
    private static func transposeBytes(_ rows: inout Rows) {
        transpose(&rows, distance: 1, shift: 8, mask: 0x00FF_00FF_00FF_00FF)
        transpose(&rows, distance: 2, shift: 16, mask: 0x0000_FFFF_0000_FFFF)
        transpose(&rows, distance: 4, shift: 32, mask: 0x0000_0000_FFFF_FFFF)
    }

    /// Exchanges the bits at `mask` in one row with those `shift` places higher in the row `distance` before it.
    @inline(__always)
    private static func transpose(_ rows: inout Rows, distance: Int, shift: UInt64, mask: UInt64) {
        for low in 0..<8 where low & distance == 0 {
            let high = low + distance
            let difference = ((rows[low] &>> SIMD2(repeating: shift)) ^ rows[high]) & SIMD2(repeating: mask)
            rows[high] ^= difference
            rows[low] ^= difference &<< SIMD2(repeating: shift)
        }
    }

    /// Multiplies the vector of eight rows by the matrix of L.
    @inline(__always)
    private static func multiply(_ rows: inout Rows) {
        let low = sums(rows[0], rows[1], rows[2], rows[3])
        let high = sums(rows[4], rows[5], rows[6], rows[7])
        @inline(__always)
        func sum(_ choice: Int) -> SIMD2<UInt64> { low[choice & 0xF] ^ high[choice >> 4] }
        // A row of the product, given for each bit of the field elements, from the highest to the lowest, which rows
        // have it set. The choices are not an array, so that the compiler makes them part of the code.
        @inline(__always)
        func product(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int, _ g: Int, _ h: Int) -> SIMD2<UInt64> {
            let abcd = times2(times2(times2(sum(a)) ^ sum(b)) ^ sum(c)) ^ sum(d)
            return times2(times2(times2(times2(abcd) ^ sum(e)) ^ sum(f)) ^ sum(g)) ^ sum(h)
        }
        rows[0] = product(0x49, 0xa0, 0x94, 0x3a, 0x5e, 0xc8, 0x49, 0x01)
        rows[1] = product(0xfb, 0x17, 0x0d, 0x46, 0x6a, 0x86, 0x84, 0xb4)
        rows[2] = product(0x73, 0x82, 0x06, 0x1e, 0x21, 0x83, 0xf5, 0x52)
        rows[3] = product(0x96, 0x00, 0xb1, 0xfa, 0x5f, 0x02, 0xf7, 0x01)
        rows[4] = product(0x34, 0x0f, 0x28, 0x04, 0x37, 0x9a, 0x83, 0xef)
        rows[5] = product(0xac, 0x12, 0x11, 0x21, 0xe8, 0x7e, 0xc6, 0xd3)
        rows[6] = product(0x62, 0xa4, 0x54, 0x45, 0x27, 0xed, 0xca, 0x96)
        rows[7] = product(0xa6, 0x4d, 0x27, 0x0c, 0x2c, 0x63, 0xd8, 0x9c)
    }

    /// All sums of four rows; bit j of the index stands for row j.
    @inline(__always)
    private static func sums(
        _ a: SIMD2<UInt64>, _ b: SIMD2<UInt64>, _ c: SIMD2<UInt64>, _ d: SIMD2<UInt64>
    ) -> InlineArray<16, SIMD2<UInt64>> {
        let (ab, cd) = (a ^ b, c ^ d)
        return [
            SIMD2(), a, b, ab, c, c ^ a, c ^ b, c ^ ab, d, d ^ a, d ^ b, d ^ ab, cd, cd ^ a, cd ^ b, cd ^ ab,
        ]
    }

    /// Multiplies every byte by t.
    @inline(__always)
    private static func times2(_ row: SIMD2<UInt64>) -> SIMD2<UInt64> {
        let bytes = unsafe unsafeBitCast(row, to: SIMD16<Int8>.self)
        let doubled = unsafe unsafeBitCast(bytes &+ bytes, to: SIMD2<UInt64>.self)
        let carried = unsafe unsafeBitCast(bytes &>> SIMD16(repeating: 7), to: SIMD2<UInt64>.self)
        return doubled ^ (carried & SIMD2(repeating: 0x1D1D_1D1D_1D1D_1D1D))
    }
}

/// The substitution π of GOST R 34.11-2012 (RFC 6986, 6.2) as a circuit over bit planes.
///
/// The circuit is the decomposition of Biryukov, Perrin and Udovenko ("Reverse-Engineering the S-Box of Streebog,
/// Kuznyechik and STRIBOBr1", EUROCRYPT 2016): between the linear maps α and ω, two halves l ‖ r of four bits become
///
///     l = ν0(l) where r = 0, else ν1(l · r⁻¹)
///     r = σ(r · φ(l))
extension Streebog {
    /// Replaces all bytes of both vectors; `planes[b]` holds bit b of them all.
    @inline(__always)
    static func substitute(_ planes: inout Rows) {
        let (l, r) = alpha(planes)
        // If r = 0, the quotient is 0 and ν1 gives 7.
        let left = (l * r.inverse).nu1 ^ (l.nu0PlusSeven & r.isZero)
        let right = (r * left.phi).sigma
        planes = omega(left, right)
    }

    @inline(__always)
    private static func alpha(_ x: Rows) -> (l: Nibbles, r: Nibbles) {
        let x60 = x[6] ^ x[0]
        let x31 = x[3] ^ x[1]
        let l3 = x[7] ^ x[5] ^ x[2] ^ x31 ^ x60
        return (
            Nibbles(x[3], x60, x60 ^ x[1], l3),
            Nibbles(x[7] ^ x31, x[6] ^ x[2], x[4] ^ x31, x[5])
        )
    }

    @inline(__always)
    private static func omega(_ l: Nibbles, _ r: Nibbles) -> Rows {
        let ac = r.a ^ r.c
        return [r.d, l.a ^ r.c, l.b ^ r.b, r.a, l.a ^ l.d ^ ac, l.c, r.b, ac]
    }
}
