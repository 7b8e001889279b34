// SPDX-License-Identifier: Apache-2.0
package import Secrets

extension PrivateKey {
    /// VKO GOST R 34.10-2001, the key agreement of RFC 4357, 5.2: the hash code by GOST R 34.11-94 of the point
    /// (UKM·d mod q)·Q.
    ///
    /// The factor m/q of RFC 7836, 4.3.1, is applied too; it is 1 for all curves of GOST R 34.10-2001.
    ///
    /// - Parameters:
    ///   - peer: The other side's public key, on a curve with the same numbers.
    ///   - ukm: The user keying material, a public little-endian number of at most 32 bytes. 0 counts as 1.
    /// - Returns: 32 bytes.
    /// - Throws: ``GOSTError/invalidParameter`` if the curves differ or do not have 256 bits, or if UKM is a multiple
    ///   of q; ``GOSTError/invalidLength`` for the UKM; ``GOSTError/libraryFailure``.
    ///
    /// Constant time in its secret inputs.
    package func vko2001(with peer: PublicKey, ukm: Span<UInt8>) throws(GOSTError) -> Secret {
        guard curve.coordinateSize == 32 else { throw .invalidParameter }
        return try agree(with: peer, ukm: ukm, GOSTR341194.self)
    }

    /// VKO_GOSTR3410_2012_256 (RFC 7836, 4.3.1): the hash code by GOST R 34.11-2012, 256 bits, of the point
    /// (m/q·UKM·d mod q)·Q. Curves of 512 bits are allowed too.
    ///
    /// - Parameters:
    ///   - peer: The other side's public key, on a curve with the same numbers.
    ///   - ukm: The user keying material, a public little-endian number, as long as a coordinate at most. 0 counts as
    ///     1.
    /// - Returns: 32 bytes.
    /// - Throws: ``GOSTError/invalidParameter`` if the curves differ or UKM is a multiple of q;
    ///   ``GOSTError/invalidLength`` for the UKM; ``GOSTError/libraryFailure``.
    ///
    /// Constant time in its secret inputs.
    package func vko2012256(with peer: PublicKey, ukm: Span<UInt8>) throws(GOSTError) -> Secret {
        try agree(with: peer, ukm: ukm, Streebog256.self)
    }

    /// VKO_GOSTR3410_2012_512 (RFC 7836, 4.3.2): as ``vko2012256(with:ukm:)``, with GOST R 34.11-2012 of 512 bits and
    /// for curves of 512 bits only.
    ///
    /// - Returns: 64 bytes.
    /// - Throws: As ``vko2012256(with:ukm:)``; ``GOSTError/invalidParameter`` also for a curve of 256 bits.
    ///
    /// Constant time in its secret inputs.
    package func vko2012512(with peer: PublicKey, ukm: Span<UInt8>) throws(GOSTError) -> Secret {
        guard curve.coordinateSize == 64 else { throw .invalidParameter }
        return try agree(with: peer, ukm: ukm, Streebog512.self)
    }

    /// KEG, the export keys of a key exchange in TLS 1.2 (RFC 9189, 8.3.1): VKO_GOSTR3410_2012_512 on curves of 512
    /// bits, ``KDFTree`` of VKO_GOSTR3410_2012_256 on those of 256.
    ///
    /// - Parameters:
    ///   - peer: The other side's public key, on a curve with the same numbers.
    ///   - h: The hash code of both sides' random values: 32 public bytes. The first 16 are UKM, most significant byte
    ///     first, where 0 counts as 1; the next 8 are the seed of the tree.
    /// - Returns: 64 bytes: the key for the MAC and the key for encryption.
    /// - Throws: ``GOSTError/invalidLength`` unless `h` has 32 bytes; ``GOSTError/invalidParameter`` if the curves
    ///   differ; ``GOSTError/libraryFailure``.
    ///
    /// Constant time in its secret inputs.
    package func keg(with peer: PublicKey, h: Span<UInt8>) throws(GOSTError) -> Secret {
        guard h.count == 32 else { throw .invalidLength }
        let ukm: [UInt8] = [UInt8](copying: h.extracting(first: 16)).reversed()
        guard curve.coordinateSize == 32 else { return try vko2012512(with: peer, ukm: ukm.span) }

        let key = try vko2012256(with: peer, ukm: ukm.span)
        return try Self.kegKeys(from: key, seed: h.extracting(16..<24))
    }

    /// The keys that KEG derives from the secret of VKO_GOSTR3410_2012_256 (RFC 9189, 8.3.1).
    ///
    /// - Parameter seed: 8 bytes.
    /// - Returns: 64 bytes.
    ///
    /// Constant time in its secret inputs.
    package static func kegKeys(from secret: borrowing Secret, seed: Span<UInt8>) throws(GOSTError) -> Secret {
        try clearingTraces { () throws(GOSTError) in
            let label = Array("kdf tree".utf8)
            return try KDFTree<Streebog256>.derive(key: secret.bytes, label: label.span, seed: seed, count: 64)
        }
    }

    /// The hash code of X ‖ Y, little-endian, of the point (m/q·UKM·d mod q)·Q.
    private func agree<Hash: HashFunction & ~Copyable>(
        with peer: PublicKey, ukm: Span<UInt8>, _: Hash.Type
    ) throws(GOSTError) -> Secret {
        guard peer.curve.parameters == curve.parameters else { throw .invalidParameter }
        guard (1...curve.coordinateSize).contains(ukm.count) else { throw .invalidLength }
        return try clearingTraces { () throws(GOSTError) in
            let arithmetic = try CurveArithmetic(curve)
            let factor = try arithmetic.factor(ukm: ukm)
            let d = try arithmetic.number(scalar.bytes)
            let multiplier = arithmetic.multiply(factor, d)
            let peer = try arithmetic.point(of: peer)
            let point = arithmetic.product(multiplier, peer)
            let coordinates = try arithmetic.bytes(point)
            var hash = Hash()
            hash.update(coordinates.bytes)
            return hash.finalize()
        }
    }
}
