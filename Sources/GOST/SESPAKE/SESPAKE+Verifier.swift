// SPDX-License-Identifier: Apache-2.0
package import Secrets

extension SESPAKE {
    /// The point Q_PW = int(F)·Q_1, by which a side knows a password without keeping it (RFC 8133, 4.1).
    ///
    /// It is to be kept as secret as the password: its holder can try passwords, and can impersonate either side.
    package struct Verifier: ~Copyable, Sendable {
        package let curve: Curve
        /// Q_PW: X ‖ Y, both little-endian.
        package let point: Secret

        /// The verifier of a password.
        ///
        /// - Parameter f: The result of `f(password:salt:curve:)`, a little-endian number.
        /// - Throws: ``GOSTError/invalidParameter`` if the curve has no point Q_1; ``GOSTError/invalidLength`` if `f`
        ///   is not as long as a coordinate; ``GOSTError/invalidPoint`` if `f` is a multiple of q, for which no
        ///   password is known; ``GOSTError/libraryFailure``.
        ///
        /// Constant time in its secret inputs.
        package init(curve: Curve, f: Span<UInt8>) throws(GOSTError) {
            guard let base = curve.parameters.sespakePoint else { throw .invalidParameter }
            guard f.count == curve.coordinateSize else { throw .invalidLength }
            point = try clearingTraces { () throws(GOSTError) in
                let arithmetic = try CurveArithmetic(curve)
                let q1 = try arithmetic.pointOnCurve(base.span)
                let number = try arithmetic.number(f)
                let scalar = arithmetic.moduloQ(number)
                let product = arithmetic.product(scalar, q1)
                return try arithmetic.bytes(product)
            }
            self.curve = curve
        }

        /// A verifier that was kept.
        ///
        /// - Parameter point: Q_PW: X ‖ Y, both little-endian, each ``Curve/coordinateSize`` bytes.
        /// - Throws: ``GOSTError/invalidParameter`` if the curve has no point Q_1; ``GOSTError/invalidPoint`` if the
        ///   point is not reduced, not on the curve, or not of order q; ``GOSTError/libraryFailure``.
        ///
        /// Constant time in its secret inputs.
        package init(curve: Curve, point: consuming Secret) throws(GOSTError) {
            guard curve.parameters.sespakePoint != nil else { throw .invalidParameter }
            try clearingTraces { () throws(GOSTError) in
                let arithmetic = try CurveArithmetic(curve)
                _ = try arithmetic.point(point.bytes)
            }
            self.curve = curve
            self.point = point
        }
    }
}
