/// The transformation LPS of GOST R 34.11-2012 (RFC 6986, 6 and 7), on two vectors of 512 bits at once, one in each lane.
///
/// No table is indexed by data. S is a circuit over bit planes; P and L are one step, because L multiplies by a matrix
/// over GF(2^8), where t^8 + t^4 + t^3 + t^2 + 1 = 0: of row j of the vector, every octet is multiplied by the same
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

    /// Turns rows into bit planes and back: bit b of octet i of row j becomes bit j of octet i of row b.
    @inline(__always)
    static func transposeBits(_ rows: inout Rows) {
        transpose(&rows, distance: 1, shift: 1, mask: 0x5555_5555_5555_5555)
        transpose(&rows, distance: 2, shift: 2, mask: 0x3333_3333_3333_3333)
        transpose(&rows, distance: 4, shift: 4, mask: 0x0F0F_0F0F_0F0F_0F0F)
    }

    /// The transformation P: octet i of row j becomes octet j of row i.
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

    /// For bit b of the field elements, the rows that row k of the product takes: octet k of the word, a bit for each.
    private static let matrix: InlineArray<8, UInt64> = [
        0x9c96_d3ef_0152_b401, 0xd8ca_c683_f7f5_8449, 0x63ed_7e9a_0283_86c8, 0x2c27_e837_5f21_6a5e,
        0x0c45_2104_fa1e_463a, 0x2754_1128_b106_0d94, 0x4da4_120f_0082_17a0, 0xa662_ac34_9673_fb49,
    ]

    /// Multiplies the vector of eight rows by the matrix of L, from the highest bit of its elements to the lowest.
    @inline(__always)
    private static func multiply(_ rows: inout Rows) {
        // All sums of the first four rows, and all of the last four.
        var low = InlineArray<16, SIMD2<UInt64>>(repeating: SIMD2())
        var high = InlineArray<16, SIMD2<UInt64>>(repeating: SIMD2())
        for row in 0..<4 {
            for index in 0..<(1 << row) {
                low[index + 1 << row] = low[index] ^ rows[row]
                high[index + 1 << row] = high[index] ^ rows[row + 4]
            }
        }
        var product = Rows(repeating: SIMD2())
        for bit in (0..<8).reversed() {
            let choices = matrix[bit]
            for row in 0..<8 {
                let choice = Int(truncatingIfNeeded: choices >> UInt64(8 * row))
                product[row] = times2(product[row]) ^ low[choice & 0xF] ^ high[choice >> 4 & 0xF]
            }
        }
        rows = product
    }

    /// Multiplies every octet by t.
    @inline(__always)
    private static func times2(_ octets: SIMD2<UInt64>) -> SIMD2<UInt64> {
        let carries = (octets &>> 7) & SIMD2(repeating: 0x0101_0101_0101_0101)
        let reduction = ((carries &<< 8) &- carries) & SIMD2(repeating: 0x1D1D_1D1D_1D1D_1D1D)
        return ((octets &+ octets) & SIMD2(repeating: 0xFEFE_FEFE_FEFE_FEFE)) ^ reduction
    }
}
