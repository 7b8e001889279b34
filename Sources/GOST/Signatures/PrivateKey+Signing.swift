// SPDX-License-Identifier: Apache-2.0
package import Secrets

extension PrivateKey {
    /// Signs a hash code (RFC 7091, 6.1; RFC 5832, 6.1 is the same for 256 bits).
    ///
    /// The number k of every signature is HMAC_GOSTR3411_2012_512 of fresh random bytes, the curve and the digest under
    /// the private key, so that neither a broken random source alone nor a repeated digest gives k away.
    ///
    /// - Parameter digest: The hash code of the message, least significant byte first: ``Curve/coordinateSize`` bytes.
    /// - Returns: s ‖ r, both big-endian, each ``Curve/coordinateSize`` bytes, as PKCS #11 and X.509 have it.
    /// - Throws: ``GOSTError/invalidLength``, ``GOSTError/randomUnavailable``, ``GOSTError/libraryFailure``.
    ///
    /// Constant time in its secret inputs; the digest is not one.
    package func sign(digest: Span<UInt8>, random: any RandomSource) throws(GOSTError) -> [UInt8] {
        guard digest.count == curve.coordinateSize else { throw .invalidLength }
        return try clearingTraces { () throws(GOSTError) in
            let noise = try random.octets(64)
            for attempt in 0..<Curve.tries {
                let k = nonce(digest, noise.bytes, attempt: UInt8(truncatingIfNeeded: attempt))
                guard published(curve.isScalar(k.bytes)) else { continue }
                if let signature = try signature(digest: digest, nonce: k.bytes) { return signature }
            }
            throw .randomUnavailable
        }
    }

    /// A candidate for k, which need not be in range.
    private func nonce(_ digest: Span<UInt8>, _ noise: Span<UInt8>, attempt: UInt8) -> Secret {
        var code = HMAC<Streebog512>(key: scalar.bytes)
        code.update([attempt].span)
        code.update(noise)
        code.update(curve.oid.span)
        code.update(digest)
        return curve.candidate(code.finalize())
    }

    /// The signature with a given k, 0 < k < q, little-endian; nil if r or s is 0.
    package func signature(digest: Span<UInt8>, nonce: Span<UInt8>) throws(GOSTError) -> [UInt8]? {
        let arithmetic = try CurveArithmetic(curve)
        let e = try arithmetic.e(digest)
        let d = try arithmetic.number(scalar.bytes)
        let k = try arithmetic.number(nonce)

        let c = try arithmetic.product(k)
        let r = try arithmetic.xModuloQ(c)
        let rd = arithmetic.multiply(r, d)
        let ke = arithmetic.multiply(e, k)
        let s = arithmetic.add(rd, ke)
        guard !published(r.isZero), !published(s.isZero) else { return nil }
        return ([UInt8](copying: r.octets) + [UInt8](copying: s.octets)).reversed()
    }
}
