// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
import Secrets

/// A number of as many bytes as a coordinate, least significant first, that may be secret.
struct Number: ~Copyable {
    fileprivate let secret: Secret

    /// The bytes.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { secret.bytes }
    }

    /// Whether the number is 0. Constant time, and as secret as the number until it is ``published(_:)``.
    var isZero: Bool {
        var bits: UInt8 = 0
        for index in bytes.indices { bits |= bytes[index] }
        return bits == 0
    }
}

/// A point of a curve that may be secret: O, or one of which the kernels have the coordinates.
struct Point: ~Copyable {
    /// X ‖ Y, little-endian; empty for O.
    fileprivate let coordinates: Secret

    /// O.
    static var infinity: Point { Point(coordinates: Secret(count: 0)) }

    /// Whether the point is O, which is public.
    var isInfinity: Bool { coordinates.isEmpty }

    func copy() -> Point { Point(coordinates: coordinates.copy()) }
}

/// Computing with points and with numbers modulo q.
@safe
struct CurveArithmetic: ~Copyable {
    let curve: Curve
    private let kernel: KernelCurve

    private var size: Int { curve.coordinateSize }

    /// - Throws: ``GOSTError/libraryFailure``.
    init(_ curve: Curve) throws(GOSTError) {
        kernel = try KernelCurve.of(curve)
        self.curve = curve
    }
}

/// Points.
extension CurveArithmetic {
    /// The point with the coordinates X ‖ Y, little-endian.
    ///
    /// The factor m/q of a key agreement is multiplied modulo q and does not clear a point's component outside the
    /// subgroup of order q. Such a point must never become a key.
    ///
    /// - Throws: ``GOSTError/invalidPoint`` unless both are below p, the point is on the curve, and q times it is O.
    ///
    /// Constant time but for the answer.
    func point(_ bytes: Span<UInt8>) throws(GOSTError) -> Point {
        let point = try pointOnCurve(bytes)
        guard hasOrderQ(point) else { throw .invalidPoint }
        return point
    }

    /// The point with the coordinates X ‖ Y, little-endian, of any order but 1 and 2. Constant time but for the answer.
    ///
    /// - Throws: ``GOSTError/invalidPoint`` unless both are below p and the point is on the curve.
    func pointOnCurve(_ bytes: Span<UInt8>) throws(GOSTError) -> Point {
        guard bytes.count == 2 * size, published(isReduced(bytes)) else { throw .invalidPoint }
        let isOnCurve = unsafe bytes.withUnsafeBufferPointer {
            unsafe gost_curve_has_point(kernel.pointer, $0.baseAddress)
        }
        guard isOnCurve else { throw .invalidPoint }
        return Point(coordinates: Secret(copying: bytes))
    }

    private func isReduced(_ point: Span<UInt8>) -> Bool {
        let x = curve.isReduced(point.extracting(first: size), modulo: curve.parameters.p)
        let y = curve.isReduced(point.extracting(last: size), modulo: curve.parameters.p)
        return x && y
    }

    /// Whether q times a point of the curve is O, as it always is where the cofactor is 1. Constant time but for the answer.
    private func hasOrderQ(_ point: borrowing Point) -> Bool {
        guard curve.cofactor != 1 else { return true }
        return unsafe point.coordinates.bytes.withUnsafeBufferPointer {
            unsafe gost_curve_has_order_q(kernel.pointer, $0.baseAddress)
        }
    }

    /// X ‖ Y of a point, little-endian.
    ///
    /// - Throws: ``GOSTError/invalidPoint`` for O.
    func bytes(_ point: borrowing Point) throws(GOSTError) -> Secret {
        guard !point.isInfinity else { throw .invalidPoint }
        return point.coordinates.copy()
    }

    /// k·P of the generator, k below q. Constant time.
    ///
    /// - Throws: ``GOSTError/outOfMemory``.
    func product(_ k: borrowing Number) throws(GOSTError) -> Point {
        let table = try KernelCurve.withTable(curve)
        return unsafe point { result in
            unsafe k.bytes.withUnsafeBufferPointer {
                unsafe gost_curve_multiply_base(table.pointer, result, $0.baseAddress)
            }
        }
    }

    /// k·Q of a point of order q, k below q. Constant time.
    func product(_ k: borrowing Number, _ point: borrowing Point) -> Point {
        guard !point.isInfinity else { return .infinity }
        let bytes = point.coordinates.bytes
        return unsafe self.point { result in
            unsafe k.bytes.withUnsafeBufferPointer { k in
                unsafe bytes.withUnsafeBufferPointer {
                    unsafe gost_curve_multiply(kernel.pointer, result, k.baseAddress, $0.baseAddress)
                }
            }
        }
    }

    /// The sum of two points of order q. Constant time.
    func sum(_ left: borrowing Point, _ right: borrowing Point) -> Point {
        guard !left.isInfinity else { return right.copy() }
        guard !right.isInfinity else { return left.copy() }
        let right = right.coordinates.bytes
        return unsafe point { result in
            unsafe left.coordinates.bytes.withUnsafeBufferPointer { left in
                unsafe right.withUnsafeBufferPointer {
                    unsafe gost_curve_add(kernel.pointer, result, left.baseAddress, $0.baseAddress)
                }
            }
        }
    }

    /// The opposite of a point: its Y is p − Y, because no point here has Y = 0. Constant time.
    func negative(_ point: borrowing Point) -> Point {
        var coordinates = point.coordinates.copy()
        var bytes = coordinates.mutableBytes
        var borrow = 0
        for (index, byte) in curve.parameters.p.reversed().enumerated() where size + index < bytes.count {
            let difference = Int(byte) - Int(bytes[size + index]) - borrow
            bytes[size + index] = UInt8(truncatingIfNeeded: difference)
            borrow = difference >> 8 & 1
        }
        return Point(coordinates: coordinates)
    }

    /// The point that a kernel writes; `compute` returns whether it is not O. Constant time but for that answer.
    private func point(_ compute: (UnsafeMutablePointer<UInt8>?) -> Bool) -> Point {
        var coordinates = Secret(count: 2 * size)
        var bytes = coordinates.mutableBytes
        let isPoint = unsafe bytes.withUnsafeMutableBufferPointer { unsafe compute($0.baseAddress) }
        return isPoint ? Point(coordinates: coordinates) : .infinity
    }
}

/// Numbers modulo q.
extension CurveArithmetic {
    /// The number with these bytes, least significant first.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if there are more than a coordinate has.
    func number(_ bytes: Span<UInt8>) throws(GOSTError) -> Number {
        guard bytes.count <= size else { throw .invalidLength }
        return Number(secret: Secret(copying: bytes, zeros: size - bytes.count))
    }

    /// A number modulo q. Constant time.
    func moduloQ(_ number: borrowing Number) -> Number {
        var one = Secret(count: size)
        var bytes = one.mutableBytes
        if !bytes.isEmpty { bytes[0] = 1 }
        return multiply(number, Number(secret: one))
    }

    /// a·b modulo q. Constant time.
    func multiply(_ a: borrowing Number, _ b: borrowing Number) -> Number {
        let b = b.bytes
        return unsafe number { result in
            unsafe a.bytes.withUnsafeBufferPointer { a in
                unsafe b.withUnsafeBufferPointer {
                    unsafe gost_scalar_multiply(kernel.pointer, result, a.baseAddress, $0.baseAddress)
                }
            }
        }
    }

    /// The inverse of a modulo q, and 0 for 0. Constant time.
    func inverse(_ a: borrowing Number) -> Number {
        unsafe number { result in
            unsafe a.bytes.withUnsafeBufferPointer {
                unsafe gost_scalar_invert(kernel.pointer, result, $0.baseAddress)
            }
        }
    }

    /// The number that a kernel writes.
    private func number(_ compute: (UnsafeMutablePointer<UInt8>?) -> Void) -> Number {
        var secret = Secret(count: size)
        var bytes = secret.mutableBytes
        unsafe bytes.withUnsafeMutableBufferPointer { unsafe compute($0.baseAddress) }
        return Number(secret: secret)
    }
}
