// SPDX-License-Identifier: Apache-2.0
package import Secrets

extension SESPAKE {
    /// One side of one run of the protocol, between sending its public value and receiving the other's.
    package struct Exchange: ~Copyable, Sendable {
        /// The public value to be sent, u_1 = αP − Q_PW of A or u_2 = βP + Q_PW of B: X ‖ Y, both little-endian.
        package let share: [UInt8]

        private let subject: Subject
        private let curve: Curve
        /// Q_PW.
        private let password: Secret
        /// α or β, little-endian.
        private let scalar: Secret
        /// αP or βP.
        private let point: Secret

        /// Draws α or β, again if the public value would be O, and computes the public value (RFC 8133, 4.3, steps 6
        /// to 8 and 11 to 14).
        ///
        /// - Throws: ``GOSTError/randomUnavailable``, ``GOSTError/libraryFailure``.
        ///
        /// Constant time in its secret inputs.
        package init(
            as subject: Subject, verifier: borrowing Verifier, random: any RandomSource
        ) throws(GOSTError) {
            self = try clearingTraces { () throws(GOSTError) in try Self.begun(as: subject, verifier, random) }
        }

        private init(
            _ subject: Subject, _ verifier: borrowing Verifier, scalar: consuming Secret, point: consuming Secret,
            share: borrowing Secret
        ) {
            self.share = [UInt8](copying: share)
            self.subject = subject
            self.scalar = scalar
            self.point = point
            curve = verifier.curve
            password = verifier.point.copy()
        }

        private static func begun(
            as subject: Subject, _ verifier: borrowing Verifier, _ random: any RandomSource
        ) throws(GOSTError) -> Exchange {
            let arithmetic = try CurveArithmetic(verifier.curve)
            let mask = try arithmetic.mask(verifier.point.bytes, of: subject)
            for _ in 0..<Curve.tries {
                let key = try PrivateKey.generate(on: verifier.curve, random: random)
                let scalar = try arithmetic.number(key.scalar.bytes)
                let own = try arithmetic.product(scalar)
                let sum = arithmetic.sum(own, mask)
                if sum.isInfinity { continue }

                let point = try arithmetic.bytes(own)
                let share = try arithmetic.bytes(sum)
                return Exchange(subject, verifier, scalar: key.scalar.copy(), point: point, share: share)
            }
            throw .randomUnavailable
        }

        /// The key K_A or K_B that follows from the other side's public value (RFC 8133, 4.3, steps 9 to 13 and 16 to
        /// 19): Streebog-256 of the point (m/q·α mod q)·(u_2 − Q_PW) or (m/q·β mod q)·(u_1 + Q_PW).
        ///
        /// If that difference or sum is O, the key is made from αP or βP, and no MAC is valid under it.
        ///
        /// - Parameter peerShare: u_2 for A, u_1 for B: X ‖ Y, both little-endian.
        /// - Throws: ``GOSTError/invalidPoint`` unless `peerShare` is reduced, on the curve and (where the cofactor is
        ///   4) of order q, which is more than RFC 8133 asks; ``GOSTError/libraryFailure``.
        ///
        /// Constant time in its secret inputs; `peerShare` is not one.
        package consuming func key(with peerShare: [UInt8]) throws(GOSTError) -> Key {
            try clearingTraces { () throws(GOSTError) in
                let arithmetic = try CurveArithmetic(curve)
                let received = try arithmetic.point(peerShare.span)
                let mask = try arithmetic.mask(password.bytes, of: subject)
                let peer = arithmetic.sum(received, mask)
                let own = try arithmetic.pointOnCurve(point.bytes)

                let factor = try arithmetic.factor(ukm: [1].span)
                let secret = try arithmetic.number(scalar.bytes)
                let multiplier = arithmetic.multiply(factor, secret)
                let common =
                    peer.isInfinity ? arithmetic.product(multiplier, own) : arithmetic.product(multiplier, peer)
                var hash = Streebog256()
                let coordinates = try arithmetic.bytes(common)
                hash.update(coordinates.bytes)
                return Key(bytes: hash.finalize(), isDegenerate: peer.isInfinity)
            }
        }
    }
}

extension CurveArithmetic {
    /// The mask that a subject adds to points: −Q_PW if it is A, Q_PW if it is B.
    fileprivate func mask(_ password: Span<UInt8>, of subject: SESPAKE.Subject) throws(GOSTError) -> Point {
        let point = try pointOnCurve(password)
        switch subject {
        case .a: return negative(point)
        case .b: return point
        }
    }
}
