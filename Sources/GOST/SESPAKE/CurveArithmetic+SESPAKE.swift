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

    /// The sum of two points. Constant time in its secret inputs, unless they are equal, opposite, or O.
    func sum(_ left: borrowing Point, _ right: borrowing Point) throws(GOSTError) -> Point {
        let sum = try unsafe Point(on: curve)
        try unsafe check(EC_POINT_add(curve, sum.pointer, left.pointer, right.pointer, context))
        return sum
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
