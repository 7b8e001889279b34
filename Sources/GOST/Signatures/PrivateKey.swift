// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// A signature key of GOST R 34.10: a number d, 0 < d < q.
package struct PrivateKey: ~Copyable, Sendable {
    package let curve: Curve
    /// d, little-endian: ``Curve/coordinateSize`` bytes.
    package let scalar: Secret

    /// Consumes the bytes of a private key.
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

    /// Removes the mask of a private key: d is the masked number by the mask's inverse, modulo q.
    ///
    /// - Parameters:
    ///   - masked: Little-endian, ``Curve/coordinateSize`` bytes.
    ///   - mask: The same.
    /// - Throws: ``GOSTError/invalidLength``; ``GOSTError/invalidParameter`` for a mask that is a multiple of q;
    ///   ``GOSTError/invalidScalar`` for a masked number that is one; ``GOSTError/libraryFailure``.
    ///
    /// Constant time in its secret inputs.
    package init(curve: Curve, masked: Span<UInt8>, mask: Span<UInt8>) throws(GOSTError) {
        let scalar = try clearingTraces { () throws(GOSTError) in try Self.unmasked(masked, mask, on: curve) }
        try self.init(curve: curve, scalar: scalar)
    }

    private static func unmasked(
        _ masked: Span<UInt8>, _ mask: Span<UInt8>, on curve: Curve
    ) throws(GOSTError) -> Secret {
        let size = curve.coordinateSize
        guard masked.count == size, mask.count == size else { throw .invalidLength }
        let arithmetic = try CurveArithmetic(curve)
        let number = try arithmetic.number(masked)
        let factor = try arithmetic.number(mask)
        let inverse = arithmetic.inverse(factor)
        guard !published(inverse.isZero) else { throw .invalidParameter }
        let product = arithmetic.multiply(number, inverse)
        return Secret(copying: product.bytes)
    }

    /// Makes a private key: random numbers, little-endian and without the bits above q's, until one is in 1…q − 1.
    ///
    /// - Throws: ``GOSTError/randomUnavailable`` also if `random` returns nothing usable 128 times in a row.
    ///
    /// Constant time in its secret inputs.
    package static func generate(on curve: Curve, random: any RandomSource) throws(GOSTError) -> PrivateKey {
        try clearingTraces { () throws(GOSTError) in
            for _ in 0..<Curve.tries {
                let candidate = curve.candidate(try random.noise(curve.coordinateSize))
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

    /// `random`, little-endian, without the bits above the highest of q.
    func candidate(_ random: consuming Secret) -> Secret {
        var candidate = random.extracting(0..<coordinateSize)
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
        for (index, byte) in modulus.reversed().enumerated() {
            borrow = (Int(number[index]) - Int(byte) - borrow) >> 8 & 1
        }
        return borrow == 1
    }
}

extension RandomSource {
    /// `count` bytes to be kept secret.
    func noise(_ count: Int) throws(GOSTError) -> Secret {
        do { return try secret(count) } catch { throw .randomUnavailable }
    }
}

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
        let noise = try random.noise(Int(gost_noise_size))
        let signature = unsafe try signature { domain, number, signature in
            unsafe digest.withUnsafeBufferPointer { digest in
                unsafe noise.bytes.withUnsafeBufferPointer {
                    unsafe gost_sign(domain, number, digest.baseAddress, $0.baseAddress, signature)
                }
            }
        }
        guard let signature else { throw .randomUnavailable }
        return signature
    }

    /// The signature with a given k, 0 < k < q, little-endian; nil if r or s is 0.
    ///
    /// - Throws: ``GOSTError/invalidLength``, ``GOSTError/invalidScalar`` for k.
    package func signature(digest: Span<UInt8>, nonce: Span<UInt8>) throws(GOSTError) -> [UInt8]? {
        guard digest.count == curve.coordinateSize else { throw .invalidLength }
        guard published(curve.isScalar(nonce)) else { throw .invalidScalar }
        return unsafe try signature { domain, number, signature in
            unsafe digest.withUnsafeBufferPointer { digest in
                unsafe nonce.withUnsafeBufferPointer {
                    unsafe gost_sign_with_nonce(domain, number, digest.baseAddress, $0.baseAddress, signature)
                }
            }
        }
    }

    /// The signature that a kernel writes, unless it answers that there is none.
    private func signature(
        _ sign: (UnsafePointer<gost_domain>, UnsafePointer<UInt8>?, UnsafeMutablePointer<UInt8>?) -> Bool
    ) throws(GOSTError) -> [UInt8]? {
        var signature = [UInt8](repeating: 0, count: 2 * curve.coordinateSize)
        let isSigned = unsafe try curve.withDomain { domain in
            unsafe scalar.bytes.withUnsafeBufferPointer { number in
                unsafe signature.withUnsafeMutableBufferPointer {
                    unsafe sign(domain, number.baseAddress, $0.baseAddress)
                }
            }
        }
        return isSigned ? signature : nil
    }
}

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
        return try agree(with: peer, ukm: ukm, .gostR341194)
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
        try agree(with: peer, ukm: ukm, .streebog256)
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
        return try agree(with: peer, ukm: ukm, .streebog512)
    }

    /// The key agreement with a hash function.
    ///
    /// - Throws: As the three above.
    ///
    /// Constant time in its secret inputs.
    package func vko(with peer: PublicKey, ukm: Span<UInt8>, hash: HashAlgorithm) throws(GOSTError) -> Secret {
        switch hash {
        case .gostR341194: try vko2001(with: peer, ukm: ukm)
        case .streebog256: try vko2012256(with: peer, ukm: ukm)
        case .streebog512: try vko2012512(with: peer, ukm: ukm)
        }
    }

    /// KEG, the export keys of a key exchange in TLS 1.2 (RFC 9189, 8.3.1): VKO_GOSTR3410_2012_512 on curves of 512
    /// bits, ``KDFTree`` of VKO_GOSTR3410_2012_256 on the curves of 256.
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
        return unsafe try secret(with: peer, count: 64) { domain, number, point, keys in
            unsafe h.withUnsafeBufferPointer { unsafe gost_keg(domain, number, point, $0.baseAddress, keys) }
        }
    }

    /// The keys that KEG derives from the secret of VKO_GOSTR3410_2012_256 (RFC 9189, 8.3.1).
    ///
    /// - Parameter seed: 8 bytes.
    /// - Returns: 64 bytes.
    ///
    /// Constant time in its secret inputs.
    package static func kegKeys(from secret: borrowing Secret, seed: Span<UInt8>) throws(GOSTError) -> Secret {
        guard secret.count == 32, seed.count == 8 else { throw .invalidLength }
        var keys = Secret(count: 64)
        var bytes = keys.mutableBytes
        unsafe secret.bytes.withUnsafeBufferPointer { secret in
            unsafe seed.withUnsafeBufferPointer { seed in
                unsafe bytes.withUnsafeMutableBufferPointer {
                    unsafe gost_kdf_tree_keys(
                        Instructions.current.path, secret.baseAddress, seed.baseAddress, $0.baseAddress)
                }
            }
        }
        return keys
    }

    private func agree(
        with peer: PublicKey, ukm: Span<UInt8>, _ hash: HashAlgorithm
    ) throws(GOSTError) -> Secret {
        guard (1...curve.coordinateSize).contains(ukm.count) else { throw .invalidLength }
        return unsafe try secret(with: peer, count: hash.digestSize) { domain, number, point, secret in
            unsafe ukm.withUnsafeBufferPointer {
                unsafe gost_vko(domain, number, point, $0.baseAddress, $0.count, hash.name, secret)
            }
        }
    }

    /// The secret of so many bytes that a kernel agrees on with a peer on a curve with the same numbers, unless it refuses UKM.
    private func secret(
        with peer: PublicKey, count: Int,
        _ agree: (
            UnsafePointer<gost_domain>, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafeMutablePointer<UInt8>?
        ) -> Bool
    ) throws(GOSTError) -> Secret {
        guard peer.curve.parameters == curve.parameters else { throw .invalidParameter }
        var secret = Secret(count: count)
        var bytes = secret.mutableBytes
        let isDone = unsafe try curve.withDomain { domain in
            unsafe scalar.bytes.withUnsafeBufferPointer { number in
                unsafe peer.bytes.span.withUnsafeBufferPointer { point in
                    unsafe bytes.withUnsafeMutableBufferPointer {
                        unsafe agree(domain, number.baseAddress, point.baseAddress, $0.baseAddress)
                    }
                }
            }
        }
        guard isDone else { throw .invalidParameter }
        return secret
    }
}
