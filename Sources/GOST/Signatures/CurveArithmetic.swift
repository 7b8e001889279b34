// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import Secrets

/// A point of a curve in libcrypto that may be secret.
@safe
struct Point: ~Copyable {
    private let handle: Handle
    var pointer: OpaquePointer { unsafe handle.pointer }

    /// O, to be overwritten.
    init(on curve: OpaquePointer) throws(GOSTError) {
        handle = try unsafe Handle(EC_POINT_new(curve), free: EC_POINT_clear_free)
    }
}

/// Computing with points and with numbers modulo q, for one operation.
///
/// Nothing is left in the error queue, which the host process may use too.
@safe
struct CurveArithmetic: ~Copyable {
    let size, cofactor: Int
    private let group: CurveGroup
    private let workspace: Handle

    var context: OpaquePointer { unsafe workspace.pointer }
    var curve: OpaquePointer { unsafe group.curve.pointer }
    private var montgomery: OpaquePointer { unsafe group.montgomery.pointer }
    private var p: Integer { _read { yield group.p } }
    var q: Integer { _read { yield group.q } }

    init(_ curve: Curve) throws(GOSTError) {
        let group = try CurveGroup.of(curve)
        let workspace = try LibraryContext.workspace()
        self.group = group
        self.workspace = workspace
        (size, cofactor) = (curve.coordinateSize, curve.cofactor)
        ERR_set_mark()
    }

    deinit { ERR_pop_to_mark() }
}

/// Points.
extension CurveArithmetic {
    /// The point with the coordinates X ‖ Y, little-endian.
    ///
    /// The factor m/q of a key agreement is multiplied modulo q and does not clear what a point has outside the subgroup
    /// of order q. Such a point must never become a key.
    ///
    /// - Throws: ``GOSTError/invalidPoint`` unless both are below p, the point is on the curve, and q times it is O.
    /// - Warning: leaks the coordinates through timing; for public values only.
    func point(_ bytes: Span<UInt8>) throws(GOSTError) -> Point {
        let point = try pointOnCurve(bytes)
        if cofactor != 1 {
            let multiple = try product(q, point)
            guard isInfinity(multiple) else { throw .invalidPoint }
        }
        return point
    }

    /// The point of a key, the order of which was checked when the key was made.
    func point(of key: PublicKey) throws(GOSTError) -> Point {
        try pointOnCurve(key.bytes.span)
    }

    private func pointOnCurve(_ bytes: Span<UInt8>) throws(GOSTError) -> Point {
        guard bytes.count == 2 * size else { throw .invalidPoint }
        let x = try Integer(littleEndian: bytes.extracting(first: size))
        let y = try Integer(littleEndian: bytes.extracting(last: size))
        guard x < p, y < p else { throw .invalidPoint }

        let point = try unsafe Point(on: curve)
        let isOnCurve = unsafe EC_POINT_set_affine_coordinates(curve, point.pointer, x.pointer, y.pointer, context)
        guard isOnCurve == 1 else { throw .invalidPoint }
        return point
    }

    /// X ‖ Y of a point, little-endian.
    ///
    /// - Throws: ``GOSTError/invalidPoint`` for O.
    func bytes(_ point: borrowing Point) throws(GOSTError) -> Secret {
        guard !isInfinity(point) else { throw .invalidPoint }
        let x = try Integer()
        let y = try Integer()
        try unsafe check(EC_POINT_get_affine_coordinates(curve, point.pointer, x.pointer, y.pointer, context))
        let left = try x.littleEndian(count: size)
        let right = try y.littleEndian(count: size)
        return left.appending(right.bytes)
    }

    /// X of a point modulo q, which is public in all uses; zero for O.
    func xModuloQ(_ point: borrowing Point) throws(GOSTError) -> Integer {
        let x = try Integer()
        guard !isInfinity(point) else { return x }
        try unsafe check(EC_POINT_get_affine_coordinates(curve, point.pointer, x.pointer, nil, context))
        return try moduloQ(x)
    }

    /// k·P of the generator. Constant time in k, 0 < k < q: libcrypto's ladder.
    func product(_ k: borrowing Integer) throws(GOSTError) -> Point {
        let product = try unsafe Point(on: curve)
        try unsafe check(EC_POINT_mul(curve, product.pointer, k.pointer, nil, nil, context))
        return product
    }

    /// k·Q. Constant time in k, 0 < k ≤ q: libcrypto's ladder.
    func product(_ k: borrowing Integer, _ point: borrowing Point) throws(GOSTError) -> Point {
        let product = try unsafe Point(on: curve)
        try unsafe check(EC_POINT_mul(curve, product.pointer, nil, point.pointer, k.pointer, context))
        return product
    }

    /// k·P + l·Q.
    ///
    /// - Warning: leaks k and l through timing; for public values only.
    func sum(_ k: borrowing Integer, _ l: borrowing Integer, _ point: borrowing Point) throws(GOSTError) -> Point {
        let sum = try unsafe Point(on: curve)
        try unsafe check(EC_POINT_mul(curve, sum.pointer, k.pointer, point.pointer, l.pointer, context))
        return sum
    }

    /// Whether the point is O.
    func isInfinity(_ point: borrowing Point) -> Bool {
        unsafe EC_POINT_is_at_infinity(curve, point.pointer) == 1
    }
}

/// Numbers modulo q.
extension CurveArithmetic {
    /// Whether 0 < number < q.
    ///
    /// - Warning: leaks the number through timing; for public values only.
    func isInRange(_ number: borrowing Integer) -> Bool {
        !number.isZero && number < q
    }

    /// A number modulo q.
    ///
    /// - Warning: leaks the number through timing; for public values only.
    func moduloQ(_ number: borrowing Integer) throws(GOSTError) -> Integer {
        let remainder = try Integer()
        try unsafe check(BN_nnmod(remainder.pointer, number.pointer, q.pointer, context))
        return remainder
    }

    /// A digest as the number e: α modulo q, or 1 if that is 0 (RFC 7091, 6.1, step 2). Digests are public here.
    func e(_ digest: Span<UInt8>) throws(GOSTError) -> Integer {
        let e = try moduloQ(Integer(littleEndian: digest))
        if e.isZero { try unsafe check(BN_set_word(e.pointer, 1)) }
        return e
    }

    /// a·b modulo q in Montgomery's form. Constant time in its secret inputs.
    func multiply(_ a: borrowing Integer, _ b: borrowing Integer) throws(GOSTError) -> Integer {
        let product = try Integer()
        try unsafe check(BN_to_montgomery(product.pointer, a.pointer, montgomery, context))
        try unsafe check(
            BN_mod_mul_montgomery(product.pointer, product.pointer, b.pointer, montgomery, context))
        return product
    }

    /// a + b modulo q. Constant time in its secret inputs.
    func add(_ a: borrowing Integer, _ b: borrowing Integer) throws(GOSTError) -> Integer {
        let sum = try Integer()
        try unsafe check(BN_mod_add_quick(sum.pointer, a.pointer, b.pointer, q.pointer))
        return sum
    }

    /// −a modulo q, 0 < a < q.
    ///
    /// - Warning: leaks a through timing; for public values only.
    func negative(_ a: borrowing Integer) throws(GOSTError) -> Integer {
        let negative = try Integer()
        try unsafe check(BN_sub(negative.pointer, q.pointer, a.pointer))
        return negative
    }

    /// The inverse of a modulo q, 0 < a < q.
    ///
    /// - Warning: leaks a through timing; for public values only.
    func inverse(_ a: borrowing Integer) throws(GOSTError) -> Integer {
        let inverse = try Integer()
        guard unsafe BN_mod_inverse(inverse.pointer, a.pointer, q.pointer, context) != nil else {
            throw .libraryFailure
        }
        return inverse
    }

    /// m/q·UKM modulo q, where a UKM of 0 counts as 1. The UKM is public.
    ///
    /// - Throws: ``GOSTError/invalidParameter`` for a multiple of q.
    func factor(ukm: Span<UInt8>) throws(GOSTError) -> Integer {
        let factor = try Integer(littleEndian: ukm)
        if factor.isZero { try unsafe check(BN_set_word(factor.pointer, 1)) }
        try unsafe check(BN_mul_word(factor.pointer, UInt(clamping: cofactor)))
        let reduced = try moduloQ(factor)
        guard !reduced.isZero else { throw .invalidParameter }
        return reduced
    }
}
