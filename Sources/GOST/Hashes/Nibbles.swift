/// Bit planes of elements of four bits: `a` holds bit 3 of each, `d` bit 0.
struct Nibbles {
    typealias Plane = SIMD2<UInt64>
    var a, b, c, d: Plane

    @inline(__always)
    init(_ a: Plane, _ b: Plane, _ c: Plane, _ d: Plane) {
        (self.a, self.b, self.c, self.d) = (a, b, c, d)
    }

    /// Ones where the element is zero.
    @inline(__always)
    var isZero: Plane { ~(a | b | c | d) }

    @inline(__always)
    static func ^ (x: Nibbles, y: Nibbles) -> Nibbles {
        Nibbles(x.a ^ y.a, x.b ^ y.b, x.c ^ y.c, x.d ^ y.d)
    }

    @inline(__always)
    static func & (x: Nibbles, mask: Plane) -> Nibbles {
        Nibbles(x.a & mask, x.b & mask, x.c & mask, x.d & mask)
    }

    /// The product in GF(2^4), where t^4 + t^3 + 1 = 0.
    @inline(__always)
    static func * (x: Nibbles, y: Nibbles) -> Nibbles {
        let t6 = x.a & y.a
        let t5 = (x.a & y.b) ^ (x.b & y.a)
        let t4 = (x.a & y.c) ^ (x.b & y.b) ^ (x.c & y.a)
        let t3 = (x.a & y.d) ^ (x.b & y.c) ^ (x.c & y.b) ^ (x.d & y.a)
        let t2 = (x.b & y.d) ^ (x.c & y.c) ^ (x.d & y.b)
        let t1 = (x.c & y.d) ^ (x.d & y.c)
        let t0 = x.d & y.d
        // t^4 = t^3 + 1, t^5 = t^3 + t + 1, t^6 = t^3 + t^2 + t + 1.
        let t56 = t5 ^ t6
        let t456 = t4 ^ t56
        return Nibbles(t3 ^ t456, t2 ^ t6, t1 ^ t56, t0 ^ t456)
    }
}

/// The maps of four bits in π, as algebraic normal forms.
extension Nibbles {
    /// The multiplicative inverse; 0 for 0.
    @inline(__always)
    var inverse: Nibbles {
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
            c ^ ad ^ bc ^ bd ^ abd ^ acd,
            b ^ c ^ ab ^ ac ^ ad ^ bc ^ cd ^ abd ^ bcd,
            a ^ b ^ ab ^ ad ^ bc ^ abc ^ acd ^ bcd,
            a ^ d ^ ab ^ ad ^ cd ^ abc ^ abd)
    }

    /// ν0(x) + ν1(0).
    @inline(__always)
    var nu0PlusSeven: Nibbles {
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
            ab ^ ac ^ bc ^ bd ^ cd ^ abd,
            ~(b ^ d ^ ab ^ ac ^ cd ^ acd ^ bcd),
            a ^ d ^ ac ^ ad ^ cd ^ abc,
            ~(c ^ d ^ ad ^ bc ^ cd ^ abd ^ acd))
    }

    /// ν1(x).
    @inline(__always)
    var nu1: Nibbles {
        let ab = a & b
        let ac = a & c
        let bc = b & c
        let bd = b & d
        let cd = c & d
        let abc = ab & c
        let bcd = bc & d
        return Nibbles(
            c ^ ab ^ bd,
            ~(b ^ ab ^ ac ^ bd ^ cd),
            ~(a ^ b ^ c ^ ab ^ bc ^ bd ^ abc ^ bcd),
            ~(a ^ b ^ c ^ d ^ bc))
    }

    /// φ(x).
    @inline(__always)
    var phi: Nibbles {
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
        let abcd = abc & d
        return Nibbles(
            ~(a ^ d ^ ab ^ ad ^ bc ^ cd ^ abd ^ bcd),
            a ^ b ^ ab ^ ad ^ bc ^ abc ^ bcd ^ abcd,
            ~(b ^ ab ^ ac ^ cd ^ abc ^ acd ^ bcd ^ abcd),
            ~(a ^ b ^ d ^ ab ^ ac ^ bc ^ bd ^ abd ^ bcd ^ abcd))
    }

    /// σ(x).
    @inline(__always)
    var sigma: Nibbles {
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
            ~(a ^ c ^ ab ^ ac ^ ad ^ bc ^ acd),
            ~(a ^ b ^ c ^ bc ^ cd ^ abd),
            a ^ ac ^ ad ^ bc ^ bd ^ abd ^ bcd,
            a ^ d ^ ad ^ cd ^ abc)
    }
}
