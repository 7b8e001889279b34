public import Secrets

extension PrivateKey {
    /// VKO GOST R 34.10-2001, the key agreement of RFC 4357, 5.2: the hash code by GOST R 34.11-94 of the point
    /// (UKM·d mod q)·Q.
    ///
    /// The factor m/q of RFC 7836, 4.3.1, is applied too; it is 1 for all curves of GOST R 34.10-2001.
    ///
    /// - Parameters:
    ///   - peer: The other side's public key, on a curve with the same numbers.
    ///   - ukm: The user keying material, a little-endian number of at most 32 octets that is no secret. 0 counts as 1.
    /// - Returns: 32 octets.
    /// - Throws: ``GOSTError/invalidParameter`` if the curves differ or do not have 256 bits, or if UKM is a multiple
    ///   of q; ``GOSTError/invalidLength`` for the UKM; ``GOSTError/libraryFailure``.
    ///
    /// Constant time in its secret inputs.
    public func vko2001(with peer: PublicKey, ukm: Span<UInt8>) throws(GOSTError) -> Secret {
        guard curve.coordinateSize == 32 else { throw .invalidParameter }
        let point = try commonPoint(with: peer, ukm: ukm)
        var hash = GOSTR341194()
        hash.update(point.bytes)
        return hash.finalize()
    }

    /// X ‖ Y of the point (m/q·UKM·d mod q)·Q, little-endian.
    private func commonPoint(with peer: PublicKey, ukm: Span<UInt8>) throws(GOSTError) -> Secret {
        guard peer.curve.parameters == curve.parameters else { throw .invalidParameter }
        guard (1...curve.coordinateSize).contains(ukm.count) else { throw .invalidLength }
        let arithmetic = try CurveArithmetic(curve)
        let factor = try arithmetic.factor(ukm: ukm)
        let scalar = try arithmetic.multiply(factor, Integer(littleEndian: scalar.bytes))
        let point = try arithmetic.product(scalar, arithmetic.point(peer.bytes.span))
        return try arithmetic.bytes(point)
    }
}
