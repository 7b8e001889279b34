// SPDX-License-Identifier: Apache-2.0
extension Kuznyechik {
    /// 128 blocks of Kuznyechik in bit planes: bit i of plane b of byte m is bit b of byte m of block i.
    struct ManyBlocks: BitwiseCopyable {
        typealias Octet = Streebog.Rows

        private var octets = InlineArray<16, Octet>(repeating: Octet(repeating: Block()))

        init() {}

        /// The block at `index`, before ``transpose()`` or after it has been undone.
        subscript(index: Int) -> Block {
            @inline(__always) get { octets[index >> 3][index & 7] }
            @inline(__always) set { octets[index >> 3][index & 7] = newValue }
        }

        mutating func encrypt(_ keys: RoundKeys) {
            transpose()
            for round in 0..<9 {
                add(keys[round])
                for index in 0..<16 { Streebog.substitute(&octets[index]) }
                for step in (0..<16).reversed() { mix(step) }
            }
            add(keys[9])
            transpose()
        }

        mutating func decrypt(_ keys: RoundKeys) {
            transpose()
            add(keys[9])
            for round in (0..<9).reversed() {
                for step in 0..<16 { mix(step) }
                for index in 0..<16 { Kuznyechik.substituteBack(&octets[index]) }
                add(keys[round])
            }
            transpose()
        }

        private mutating func add(_ key: Block) {
            for index in 0..<128 {
                let bit = (key[index >> 6] >> UInt64(index & 63)) & 1
                self[index] ^= Block(repeating: 0 &- bit)
            }
        }

        /// One step of the shift register that makes L (RFC 7801, 4.2), on the register as a ring: nothing moves but
        /// the place of the byte that takes the sum. The same step undoes it.
        private mutating func mix(_ place: Int) {
            @inline(__always) func octet(_ index: Int) -> Octet { octets[(place + 1 + index) & 15] }
            @inline(__always) func pair(_ index: Int) -> Octet { octet(index) ^ octet(14 - index) }

            // The coefficients 148, 32, 133, 16, 194, 192, 1, 251, 1, …, 148 by their bits, the highest first.
            let (by148, by133, by194, by251) = (pair(0), pair(2), pair(4), octet(7))
            let high = by194 ^ pair(5) ^ by251
            let both = by148 ^ by133
            var sum = (both ^ high).timesT ^ high
            sum = sum.timesT ^ pair(1) ^ by251
            sum = sum.timesT ^ by148 ^ pair(3) ^ by251
            sum = sum.timesT ^ by251
            sum = sum.timesT ^ both
            sum = sum.timesT ^ by194 ^ by251
            octets[place] = octets[place] ^ sum.timesT ^ by133 ^ pair(6) ^ by251
        }
    }
}

/// Exchanging rows and columns.
extension Kuznyechik.ManyBlocks {
    /// Turns blocks into bit planes, and back.
    mutating func transpose() {
        exchange(distance: 1, mask: 0x5555_5555_5555_5555)
        exchange(distance: 2, mask: 0x3333_3333_3333_3333)
        exchange(distance: 4, mask: 0x0F0F_0F0F_0F0F_0F0F)
        exchange(distance: 8, mask: 0x00FF_00FF_00FF_00FF)
        exchange(distance: 16, mask: 0x0000_FFFF_0000_FFFF)
        exchange(distance: 32, mask: 0x0000_0000_FFFF_FFFF)
        for index in 0..<64 {
            (self[index], self[index + 64]) = (
                SIMD2(self[index][0], self[index + 64][0]), SIMD2(self[index][1], self[index + 64][1])
            )
        }
    }

    /// Exchanges the bits at `mask` in one row with those `distance` places lower in the row `distance` before it.
    @inline(__always)
    private mutating func exchange(distance: Int, mask: UInt64) {
        let shift = SIMD2(repeating: UInt64(distance))
        for low in 0..<128 where low & distance == 0 {
            let difference = ((self[low] &>> shift) ^ self[low + distance]) & SIMD2(repeating: mask)
            self[low + distance] ^= difference
            self[low] ^= difference &<< shift
        }
    }
}

extension InlineArray where count == 8, Element == SIMD2<UInt64> {
    @inline(__always)
    fileprivate static func ^ (left: Self, right: Self) -> Self {
        InlineArray { left[$0] ^ right[$0] }
    }

    /// The product with t in GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0.
    @inline(__always)
    fileprivate var timesT: Self {
        [self[7], self[0] ^ self[7], self[1], self[2], self[3], self[4], self[5] ^ self[7], self[6] ^ self[7]]
    }
}
