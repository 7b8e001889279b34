// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import Secrets

/// Computing with points that are derived from a password.
extension CurveArithmetic {
    /// The point with the coordinates X ‖ Y, little-endian and reduced. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidPoint`` if the point is not on the curve.
    func secretPoint(_ bytes: Span<UInt8>) throws(GOSTError) -> Point {
        guard bytes.count == 2 * size else { throw .invalidPoint }
        let x = try Integer(littleEndian: bytes.extracting(first: size))
        let y = try Integer(littleEndian: bytes.extracting(last: size))
        return try secretPoint(x, y)
    }

    private func secretPoint(_ x: borrowing Integer, _ y: borrowing Integer) throws(GOSTError) -> Point {
        let point = try unsafe Point(on: curve)
        let isOnCurve = unsafe EC_POINT_set_affine_coordinates(curve, point.pointer, x.pointer, y.pointer, context)
        guard isOnCurve == 1 else { throw .invalidPoint }
        return point
    }

    /// Whether q times the point is O. Constant time in its secret inputs.
    func hasOrderQ(_ point: borrowing Point) throws(GOSTError) -> Bool {
        guard cofactor != 1 else { return !isInfinity(point) }
        let multiple = try product(q, point)
        return !isInfinity(point) && isInfinity(multiple)
    }

    /// The sum of two points, neither of them O.
    ///
    /// Constant time in its secret inputs unless their X is the same. libcrypto's addition would branch on comparisons of
    /// the coordinates, and show a password's point to who chooses the other.
    func sum(_ left: borrowing Point, _ right: borrowing Point, _ field: borrowing Field) throws(GOSTError) -> Point {
        let x1 = try Integer()
        let y1 = try Integer()
        let x2 = try Integer()
        let y2 = try Integer()
        try unsafe check(EC_POINT_get_affine_coordinates(curve, left.pointer, x1.pointer, y1.pointer, context))
        try unsafe check(EC_POINT_get_affine_coordinates(curve, right.pointer, x2.pointer, y2.pointer, context))
        let width = try field.subtract(x2, x1)
        if width.isZero {
            let sum = try unsafe Point(on: curve)
            try unsafe check(EC_POINT_add(curve, sum.pointer, left.pointer, right.pointer, context))
            return sum
        }
        let height = try field.subtract(y2, y1)
        let inverse = try field.inverse(width)
        let slope = try field.multiply(height, inverse)
        let square = try field.multiply(slope, slope)
        let difference = try field.subtract(square, x1)
        let x = try field.subtract(difference, x2)
        let run = try field.subtract(x1, x)
        let rise = try field.multiply(slope, run)
        let y = try field.subtract(rise, y1)
        return try secretPoint(x, y)
    }

    /// The opposite of a point. Constant time in its secret inputs.
    func negative(_ point: consuming Point) throws(GOSTError) -> Point {
        try unsafe check(EC_POINT_invert(curve, point.pointer, context))
        return point
    }

    /// A number of as many octets as q, modulo q. Constant time in its secret inputs.
    ///
    /// Montgomery's multiplication reduces whatever fits its words, which division does in variable time.
    func secretModuloQ(_ number: borrowing Integer) throws(GOSTError) -> Integer {
        let one = try Integer(littleEndian: [1].span)
        return try multiply(number, one)
    }
}
