// SPDX-License-Identifier: Apache-2.0

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
        transposeOctets(&rows)
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
    private static func transposeOctets(_ rows: inout Rows) {
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
        let octets = unsafe unsafeBitCast(row, to: SIMD16<Int8>.self)
        let doubled = unsafe unsafeBitCast(octets &+ octets, to: SIMD2<UInt64>.self)
        let carried = unsafe unsafeBitCast(octets &>> SIMD16(repeating: 7), to: SIMD2<UInt64>.self)
        return doubled ^ (carried & SIMD2(repeating: 0x1D1D_1D1D_1D1D_1D1D))
    }
}
