// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// A signature key of GOST R 34.10: a number d, 0 < d < q.
package struct PrivateKey: ~Copyable, Sendable {
    package let curve: Curve
    /// d, little-endian: ``Curve/coordinateSize`` bytes.
    package let scalar: Secret

    /// Takes a private key over.
    ///
    /// - Parameter scalar: d, little-endian, ``Curve/coordinateSize`` bytes.
    /// - Throws: ``GOSTError/invalidScalar`` if the length is wrong or d is not in 1…q − 1.
    ///
    /// Constant time in its secret inputs.
    package init(curve: Curve, scalar: consuming Secret) throws(GOSTError) {
        guard published(curve.isScalar(scalar.bytes)) else { throw .invalidScalar }
        self.curve = curve
        self.scalar = scalar
    }

    /// Makes a private key: random numbers, little-endian and without the bits above q's, until one is in 1…q − 1.
    ///
    /// - Throws: ``GOSTError/randomUnavailable`` also if `random` gives nothing usable 128 times in a row.
    ///
    /// Constant time in its secret inputs.
    package static func generate(on curve: Curve, random: any RandomSource) throws(GOSTError) -> PrivateKey {
        try clearingTraces { () throws(GOSTError) in
            for _ in 0..<Curve.tries {
                let candidate = curve.candidate(try random.octets(curve.coordinateSize))
                do { return try PrivateKey(curve: curve, scalar: candidate) } catch { continue }
            }
            throw .randomUnavailable
        }
    }

    /// The public key Q = d·P. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/libraryFailure``.
    package func publicKey() throws(GOSTError) -> PublicKey {
        try clearingTraces { () throws(GOSTError) in
            let arithmetic = try CurveArithmetic(curve)
            let d = try arithmetic.number(scalar.bytes)
            let point = try arithmetic.product(d)
            return PublicKey(computed: try arithmetic.bytes(point), on: curve)
        }
    }
}

extension Curve {
    /// The limit of attempts at a random number. Each is refused with a probability of at most one half.
    static let tries = 128

    /// `octets`, little-endian, without the bits above the highest of q.
    func candidate(_ octets: consuming Secret) -> Secret {
        var candidate = octets.extracting(0..<coordinateSize)
        var bytes = candidate.mutableBytes
        if let top = parameters.q.first, bytes.count == coordinateSize {
            bytes[coordinateSize - 1] &= 0xFF >> UInt8(truncatingIfNeeded: top.leadingZeroBitCount)
        }
        return candidate
    }

    /// Whether 0 < number < q, little-endian. Constant time, and as secret as the number until it is ``published(_:)``.
    func isScalar(_ number: Span<UInt8>) -> Bool {
        var bits: UInt8 = 0
        for index in number.indices { bits |= number[index] }
        return isReduced(number, modulo: parameters.q) && bits != 0
    }

    /// Whether number < modulus, little-endian, in as many bytes. Constant time as well.
    func isReduced(_ number: Span<UInt8>, modulo modulus: [UInt8]) -> Bool {
        guard number.count == modulus.count else { return false }
        var borrow = 0
        for (index, octet) in modulus.reversed().enumerated() {
            borrow = (Int(number[index]) - Int(octet) - borrow) >> 8 & 1
        }
        return borrow == 1
    }
}

extension RandomSource {
    /// `count` bytes to be kept secret.
    func octets(_ count: Int) throws(GOSTError) -> Secret {
        do { return try secret(count) } catch { throw .randomUnavailable }
    }
}
