// SPDX-License-Identifier: Apache-2.0

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

/// The maps of four bits in π as circuits, the smallest that a search has found; p…s are bits 3…0 of the result.
extension Nibbles {
    /// The multiplicative inverse; 0 for 0.
    @inline(__always)
    var inverse: Nibbles {
        let t1 = c ^ d
        let t2 = a & b
        let t3 = ~d & (a ^ c)
        let t4 = t2 | t1
        let s = t4 ^ t3
        let t5 = ~c & a
        let q = (t3 | b) ^ t5
        let r = ((t3 ^ t2) & t1) ^ q ^ a
        let p = (~t5 & (t4 & (t1 ^ b))) ^ d
        return Nibbles(p, q, r, s)
    }

    /// ν0(x) + ν1(0).
    @inline(__always)
    var nu0PlusSeven: Nibbles {
        let t1 = ~a
        let t2 = (t1 | b) ^ c
        let t3 = t2 ^ d
        let r = (a | d) ^ (t3 & c)
        let t4 = t1 ^ b ^ d
        let t5 = ~t4 & t3
        let p = t5 ^ b
        let t6 = ~t2 & (t5 ^ a)
        let q = t6 ^ t4
        let s = (t6 | t3) ^ (~t4 & c)
        return Nibbles(p, q, r, s)
    }

    /// ν1(x).
    @inline(__always)
    var nu1: Nibbles {
        let t1 = a ^ d
        let p = (t1 & b) ^ c
        let t2 = ~b
        let q = (p & t1) ^ t2
        let s = (~c & t2) ^ t1
        let r = (~c & q) ^ a
        return Nibbles(p, q, r, s)
    }

    /// φ(x).
    @inline(__always)
    var phi: Nibbles {
        let t1 = ~d & (a | c)
        let t2 = ~a & (t1 | b)
        let q = t2 ^ t1
        let t3 = ~c
        let r = (t3 | b) ^ t2
        let t4 = (~b & (a ^ c)) | d
        let p = t4 ^ t3
        let s = (~(~a & t4) & r) ^ t1
        return Nibbles(p, q, r, s)
    }

    /// σ(x).
    @inline(__always)
    var sigma: Nibbles {
        let t1 = b ^ d ^ a
        let t2 = (~c ^ a) | t1
        let t3 = (c & d) | a
        let p = t3 ^ t2
        let t4 = t2 ^ b
        let t5 = t4 & t3
        let s = t5 ^ d
        let r = (t5 | b) ^ (t1 & (b ^ c))
        let q = (~p & r) ^ t4
        return Nibbles(p, q, r, s)
    }
}

/// Bitwise operations on whole vectors. The standard library's go element by element, and the compiler does not put long
/// expressions of those together again; the ones on masks are single instructions, whatever the bits.
extension SIMD2 where Scalar == UInt64 {
    private typealias Bits = SIMDMask<SIMD2<Int64>>

    @inline(__always)
    private var bits: Bits { unsafe unsafeBitCast(self, to: Bits.self) }

    @inline(__always)
    private init(_ bits: Bits) { self = unsafe unsafeBitCast(bits, to: Self.self) }

    @inline(__always)
    static func & (x: Self, y: Self) -> Self { Self(x.bits .& y.bits) }

    @inline(__always)
    static func | (x: Self, y: Self) -> Self { Self(x.bits .| y.bits) }

    @inline(__always)
    static func ^ (x: Self, y: Self) -> Self { Self(x.bits .^ y.bits) }

    @inline(__always)
    static func ^= (x: inout Self, y: Self) { x = x ^ y }

    @inline(__always)
    static prefix func ~ (x: Self) -> Self { Self(.!x.bits) }
}
