// SPDX-License-Identifier: Apache-2.0

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
