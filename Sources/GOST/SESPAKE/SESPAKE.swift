// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// SESPAKE, the key agreement of two subjects A and B that share a password (RFC 8133), over all its seven curves.
///
/// Each side makes a ``Verifier`` from the password (or keeps one), an ``Exchange`` from the verifier and a ``Key``
/// from the exchange and the other side's public value; the MACs that the sides then send each other show whether the
/// passwords are the same. The counters of attempts are the caller's to keep (RFC 8133, 4.2): they go down before
/// anything is computed.
package enum SESPAKE {
    /// The subjects: A sends u_1, B answers with u_2.
    package enum Subject: Sendable {
        case a, b
    }

    /// The function F of RFC 8133, 3: PBKDF2 of 2000 iterations with HMAC_GOSTR3411_2012_512.
    ///
    /// - Parameters:
    ///   - password: The password's bytes, at least one.
    ///   - salt: The salt, 1 to 128 bytes, which is public.
    /// - Returns: As many bytes as a coordinate of the curve.
    /// - Throws: ``GOSTError/invalidLength`` for the password or the salt.
    ///
    /// Constant time in its secret inputs but for the password's length.
    package static func f(password: Span<UInt8>, salt: Span<UInt8>, curve: Curve) throws(GOSTError) -> Secret {
        guard !password.isEmpty, (1...128).contains(salt.count) else { throw .invalidLength }
        return PBKDF2<Streebog512>.derive(
            password: password, salt: salt, iterations: 2000, count: curve.coordinateSize)
    }
}

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

                let factor = try arithmetic.number([UInt8(truncatingIfNeeded: arithmetic.curve.cofactor)].span)
                let secret = try arithmetic.number(scalar.bytes)
                let multiplier = arithmetic.multiply(factor, secret)
                let common =
                    peer.isInfinity ? arithmetic.product(multiplier, own) : arithmetic.product(multiplier, peer)
                var hash = HashState(.streebog256)
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

extension SESPAKE {
    /// The key K_A or K_B, by which the sides show each other that they know the password.
    package struct Key: ~Copyable, Sendable {
        /// The key's 32 bytes. Nothing but MACs may be made with it until the other side's MAC is valid.
        package let bytes: Secret
        /// The flag z_A or z_B.
        private let isDegenerate: Bool

        init(bytes: consuming Secret, isDegenerate: Bool) {
            self.bytes = bytes
            self.isDegenerate = isDegenerate
        }

        /// The MAC of a message of ``Transcript``: HMAC_GOSTR3411_2012_256, 32 bytes. Constant time in its secret
        /// inputs.
        package func code(for message: [UInt8]) -> Secret {
            HMAC<Streebog256>.authenticate(message.span, key: bytes.bytes)
        }

        /// Whether the other side's MAC of a message of ``Transcript`` is right. It never is if the flag z_A or z_B is
        /// set, and the answer needs the same time (RFC 8133, 4.3, steps 23, 24, 28 and 29). Constant time in its secret
        /// inputs.
        package func isValid(_ code: Span<UInt8>, for message: [UInt8]) -> Bool {
            let expected = self.code(for: message)
            let isEqual = constantTimeEqual(expected.bytes, code)
            return isEqual && !isDegenerate
        }
    }
}

extension SESPAKE {
    /// The input of both sides' MACs (RFC 8133, 4.3, steps 20, 23, 25 and 28). All of it is public.
    package struct Transcript: Sendable, Equatable {
        /// ID_A and ID_B.
        package let identifierA, identifierB: [UInt8]
        /// ind, the number of the point Q_ind as it is sent.
        package let index: [UInt8]
        package let salt: [UInt8]
        /// The public values: X ‖ Y, both little-endian.
        package let u1, u2: [UInt8]
        /// ID_ALG, empty if the sides have agreed on it in advance and leave it out.
        package let algorithm: [UInt8]

        package init(
            identifierA: [UInt8], identifierB: [UInt8], index: [UInt8] = [1], salt: [UInt8], u1: [UInt8], u2: [UInt8],
            algorithm: [UInt8] = []
        ) {
            self.identifierA = identifierA
            self.identifierB = identifierB
            self.index = index
            self.salt = salt
            self.u1 = u1
            self.u2 = u2
            self.algorithm = algorithm
        }

        private var common: [UInt8] { index + salt + u1 + u2 + algorithm }

        /// The message of MAC_A: 01 ‖ ID_A ‖ ind ‖ salt ‖ u_1 ‖ u_2 ‖ ID_ALG ‖ DATA_A.
        package func messageA(data: [UInt8] = []) -> [UInt8] {
            [1] + identifierA + common + data
        }

        /// The message of MAC_B: 02 ‖ ID_B ‖ ind ‖ salt ‖ u_1 ‖ u_2 ‖ ID_ALG ‖ DATA_A ‖ DATA_B.
        package func messageB(dataA: [UInt8] = [], dataB: [UInt8] = []) -> [UInt8] {
            [2] + identifierB + common + dataA + dataB
        }
    }
}

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

/// The points Q_1 of RFC 8133, A.1, whose discrete logarithms are unknown.
extension CurveParameters {
    /// X ‖ Y of Q_1, little-endian; nil for the curves of the standard's examples, which have no such point.
    var sespakePoint: [UInt8]? {
        guard let point = Self.sespakePoints.first(where: { $0.curve == self }) else { return nil }
        let (x, y) = (Self.bytes(point.x, p.count), Self.bytes(point.y, p.count))
        return Array(x.reversed()) + Array(y.reversed())
    }

    private static let sespakePoints: [(curve: CurveParameters, x: String, y: String)] = [
        (
            .cryptoProA,
            x: "a69d51caf1a309fa9e9b66187759b0174c274e080356f23cfcbfe84d396ad7bb",
            y: "5d26f29ecc2e9ac0404dcf7986fa55fe94986362170f54b9616426a659786dac"
        ),
        (
            .cryptoProB,
            x: "3d715a874a4b17cb3b517893a9794a2b36c89d2ffc693f01ee4cc27e7f49e399",
            y: "1c5a641fcf7ce7e87cdf8cea38f3db3096eace2fad158384b53953365f4fe7fe"
        ),
        (
            .cryptoProC,
            x: "1e36383e43bb6cfa2917167d71b7b5dd3d6d462b43d7c64282ae67dfbec2559d",
            y: "137478a9f721c73932ea06b45cf72e37eb78a63f29a542e563c614650c8b6399"
        ),
        (
            .tc26512A,
            x: "2a17f8833a32795327478871b5c5e88aefb91126c64b4b8327289bea62559425"
                + "d18198f133f400874328b220c74497cd240586cb249e158532cb8090776cd61c",
            y: "728f0c4a73b48da41ce928358fad26b47a6e094e9362bae82559f83cddc4ec3a"
                + "4676bd3707edeaf4cd85e99695c64c241edc622be87dc0cf87f51f4367f723c5"
        ),
        (
            .tc26512B,
            x: "7e1fae8285e035bec244bef2d0e5ebf436633cf50e55231dea9c9cf21d4c8c33"
                + "df85d4305de92971f0a4b4c07e00d87bdbc720eb66e49079285aaf12e0171149",
            y: "2cc89998b875d4463805ba0d858a196592db20ab161558ff2f4ef7a85725d209"
                + "53967ae621afdeae89bb77c83a2528ef6fce02f68bda4679d7f2704947dbc408"
        ),
        (
            .tc26256A,
            x: "b51adf93a40ab15792164fad3352f95b66369eb2a4ef5efae32829320363350e",
            y: "74a358cc08593612f5955d249c96afb7e8b0bb6d8bd2bbe491046650d822be18"
        ),
        (
            .tc26512C,
            x: "489c91784e02e98f19a803abca319917f37689e5a18965251ce2ff4e8d8b298f"
                + "5ba7470f9e0e713487f96f4a8397b3d09a270c9d367eb5e0e6561adeeb51581d",
            y: "684ea885aca64eaf1b3fee36c0852a3be3bd8011b0ef18e203ff87028d6eb5db"
                + "2c144a0dcc71276542bfd72ca2a43fa4f4939da66d9a60793c704a8c94e16f18"
        ),
    ]
}
