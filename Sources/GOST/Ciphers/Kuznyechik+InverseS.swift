// SPDX-License-Identifier: Apache-2.0

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
