// SPDX-License-Identifier: Apache-2.0

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
