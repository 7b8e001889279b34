// SPDX-License-Identifier: Apache-2.0

extension Kuznyechik {
    /// The transformation L of GOST R 34.12-2015 (RFC 7801, 4.2) on one block, as a matrix of bits: the sum of the
    /// columns that belong to the block's set bits, all of which are visited. Constant time.
    struct Linear: Sendable {
        /// The column of bit 31 of the first half word, of bit 30, …, of bit 0 of the last.
        private let columns: [SIMD4<Int32>]

        private static let direct = Linear { direct($0) }
        private static let inverse = Linear { inverse($0) }

        private init(_ transformation: ([UInt8]) -> [UInt8]) {
            columns = (0..<128).map { index in
                let bit = index ^ 31
                var block = [UInt8](repeating: 0, count: 16)
                block[bit / 8] = 1 << UInt8(bit % 8)
                let image = transformation(block)
                var column = SIMD4<Int32>()
                for byte in 0..<16 { column[byte / 4] |= Int32(image[byte]) << Int32(8 * (byte % 4)) }
                return column
            }
        }

        /// L(block).
        static func forward(_ block: Block) -> Block { direct.apply(block) }

        /// The inverse of L.
        static func back(_ block: Block) -> Block { inverse.apply(block) }

        @inline(__always)
        private func apply(_ block: Block) -> Block {
            let columns = columns.span
            var (a, b) = (Self.spread(block[0]), Self.spread(block[0] >> 32))
            var (c, d) = (Self.spread(block[1]), Self.spread(block[1] >> 32))
            var (left, right) = (SIMD4<Int32>(), SIMD4<Int32>())
            for bit in 0..<32 {
                left ^= ((a &>> 31) & columns[bit]) ^ ((b &>> 31) & columns[bit + 32])
                right ^= ((c &>> 31) & columns[bit + 64]) ^ ((d &>> 31) & columns[bit + 96])
                (a, b, c, d) = (a &+ a, b &+ b, c &+ c, d &+ d)
            }
            return unsafe unsafeBitCast(left ^ right, to: Block.self)
        }

        /// The lower half of `word` four times.
        @inline(__always)
        private static func spread(_ word: UInt64) -> SIMD4<Int32> {
            SIMD4(repeating: Int32(truncatingIfNeeded: word))
        }
    }
}

/// L on public blocks, from its definition as sixteen steps of a shift register.
extension Kuznyechik.Linear {
    private static let coefficients: [UInt8] = [148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148]

    private static func direct(_ block: [UInt8]) -> [UInt8] {
        (0..<16).reduce(block) { block, _ in [step(block[15], block[0..<15])] + block[0..<15] }
    }

    private static func inverse(_ block: [UInt8]) -> [UInt8] {
        (0..<16).reduce(block) { block, _ in block[1...] + [step(block[0], block[1...])] }
    }

    /// The sum of `byte` and of `others`, multiplied by their coefficients.
    private static func step(_ byte: UInt8, _ others: ArraySlice<UInt8>) -> UInt8 {
        zip(others, coefficients).reduce(byte) { $0 ^ product($1.0, $1.1) }
    }

    /// The product in GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (product, factor) = (UInt8(0), left)
        for bit in 0..<8 {
            if right >> UInt8(bit) & 1 == 1 { product ^= factor }
            factor = factor << 1 ^ (factor >> 7) &* 0xC3
        }
        return product
    }
}

/// The inverse of π (RFC 7801, 4.1.1) as a circuit over bit planes: the decomposition of π backwards.
///
///     r = σ⁻¹(r) · φ(l)⁻¹
///     l = ν0⁻¹(l) where r = 0, else ν1⁻¹(l) · r
extension Kuznyechik {
    /// Replaces all bytes; `planes[b]` holds bit b of them all.
    @inline(__always)
    static func substituteBack(_ planes: inout Streebog.Rows) {
        let (l, r) = omegaBack(planes)
        let right = r.inverseSigma * l.phi.inverse
        let left = (l.inverseNu1 * right) ^ (l.inverseNu0 & right.isZero)
        planes = alphaBack(left, right)
    }

    @inline(__always)
    private static func omegaBack(_ x: Streebog.Rows) -> (l: Nibbles, r: Nibbles) {
        let x13 = x[1] ^ x[3]
        return (
            Nibbles(x13 ^ x[7], x[2] ^ x[6], x[5], x13 ^ x[4]),
            Nibbles(x[3], x[6], x[3] ^ x[7], x[0])
        )
    }

    @inline(__always)
    private static func alphaBack(_ l: Nibbles, _ r: Nibbles) -> Streebog.Rows {
        let bc = l.b ^ l.c
        let ad = l.d ^ r.a ^ r.d
        return [ad ^ r.b, bc, l.b ^ ad, l.a, l.a ^ bc ^ r.c, r.d, l.b ^ ad ^ r.b, l.a ^ bc ^ r.a]
    }
}

extension Nibbles {
    /// The inverse of ν0.
    @inline(__always)
    var inverseNu0: Nibbles {
        let ab = a & b
        let ac = a & c
        let ad = a & d
        let bc = b & c
        let bd = b & d
        let cd = c & d
        let abc = ab & c
        let abd = ab & d
        let acd = ac & d
        let bcd = bc & d
        return Nibbles(
            ~(c ^ ad ^ bd ^ acd),
            a ^ bc ^ abc ^ acd,
            d ^ ab ^ ac ^ ad ^ bd ^ abc ^ bcd,
            b ^ d ^ ab ^ ac ^ bc ^ bd ^ cd ^ abd)
    }

    /// The inverse of ν1.
    @inline(__always)
    var inverseNu1: Nibbles {
        let ab = a & b
        let ad = a & d
        let bd = b & d
        let abd = ab & d
        return Nibbles(
            b ^ c ^ ab ^ abd,
            ~(b ^ ad),
            a ^ d ^ ad ^ bd,
            c ^ d ^ abd)
    }

    /// The inverse of σ.
    @inline(__always)
    var inverseSigma: Nibbles {
        let ab = a & b
        let ac = a & c
        let ad = a & d
        let bc = b & c
        let bd = b & d
        let cd = c & d
        let abc = ab & c
        let abd = ab & d
        let acd = ac & d
        let bcd = bc & d
        return Nibbles(
            c ^ d ^ ac ^ cd ^ abd,
            a ^ d ^ ab ^ bc ^ bd ^ cd ^ bcd,
            ~(a ^ d ^ ac ^ ad ^ bd ^ abd ^ acd),
            b ^ c ^ d ^ ab ^ ac ^ abc)
    }
}
