// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
package import Secrets

/// A private key of ECDSA and ECDH: a number d, 0 < d < n.
package struct ECPrivateKey: ~Copyable, Sendable {
    package let publicKey: ECPublicKey
    /// d, most significant byte first: ``ECCurve/coordinateSize`` bytes.
    package let scalar: Secret

    /// Reads a key.
    ///
    /// - Parameter scalar: d, most significant byte first; leading zeros can be missing, or be more.
    /// - Throws: ``HostCryptoError/invalidKey``; ``HostCryptoError/libraryFailure``.
    package init(curve: ECCurve, scalar: consuming Secret) throws(HostCryptoError) {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let d = try BigNumber(scalar.bytes)
        let point = try curve.publicPoint(of: d)
        let publicKey = try ECPublicKey(curve: curve, point: point)
        self.scalar = try d.bytes(count: curve.coordinateSize)
        self.publicKey = publicKey
    }

    /// The key in libcrypto, for one operation: between operations libcrypto keeps nothing of it in its memory, which
    /// is in core dumps and in forked children.
    private func key() throws(HostCryptoError) -> Key {
        var parameters = try ECPublicKey.parameters(publicKey.curve, publicKey.point)
        try parameters.add("priv", number: BigNumber(scalar.bytes))
        return try Key(.ec, .keyPair, from: parameters, else: .invalidKey)
    }

    /// Makes a new key by rejection sampling (FIPS 186-5, A.2.2).
    ///
    /// - Throws: ``HostCryptoError/randomUnavailable``; ``HostCryptoError/libraryFailure``.
    package static func generate(
        on curve: ECCurve, random: any RandomSource
    ) throws(HostCryptoError) -> ECPrivateKey {
        // All orders begin with 32 ones: four rejected numbers in a row mean a broken source.
        for _ in 0..<4 {
            guard var scalar = try? random.secret(curve.coordinateSize) else { throw .randomUnavailable }
            var bytes = scalar.mutableBytes
            bytes[0] &= curve.leadingMask
            do throws(HostCryptoError) {
                return try ECPrivateKey(curve: curve, scalar: scalar)
            } catch {
                guard error == .invalidKey else { throw error }
            }
        }
        throw .randomUnavailable
    }

    /// Signs a digest by ECDSA (FIPS 186-4, 6.4). The nonce comes from libcrypto's generator, the key and the digest.
    ///
    /// - Parameter digest: Of any length; of more bytes than a coordinate has, the first count.
    /// - Returns: r ‖ s, most significant byte first, each ``ECCurve/coordinateSize`` bytes.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func sign(_ digest: Span<UInt8>) throws(HostCryptoError) -> [UInt8] {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let size = publicKey.curve.coordinateSize
        let digest = [UInt8](copying: digest)
        let key = try key()
        let context = try KeyContext(key)
        try unsafe check(EVP_PKEY_sign_init(context.pointer))
        // Two INTEGERs of one byte more than a number has, with their tags and lengths in a SEQUENCE with its own.
        var count = 2 * (size + 3) + 3
        var der = [UInt8](repeating: 0, count: count)
        try unsafe check(EVP_PKEY_sign(context.pointer, &der, &count, digest, digest.count))
        return try Self.numbers(der.span.extracting(first: count), size)
    }

    /// r ‖ s of an ECDSA-Sig-Value (RFC 3279, 2.2.3).
    private static func numbers(_ der: Span<UInt8>, _ size: Int) throws(HostCryptoError) -> [UInt8] {
        do throws(GOSTError) {
            var reader = DERReader(der)
            var numbers = DERReader(try reader.contents(.sequence))
            let r = try numbers.unsignedInteger(count: size)
            let s = try numbers.unsignedInteger(count: size)
            return r + s
        } catch {
            throw .libraryFailure
        }
    }

    /// The shared secret Z of ECDH: the X coordinate of d·Q (SP 800-56A, 5.7.1.2). The cofactor being 1, it is also
    /// Z of cofactor Diffie-Hellman.
    ///
    /// - Returns: ``ECCurve/coordinateSize`` bytes, most significant first.
    /// - Throws: ``HostCryptoError/invalidParameter`` for a peer on another curve; ``HostCryptoError/libraryFailure``.
    ///
    /// Constant time in its secret inputs: libcrypto's ladder.
    package func sharedSecret(with peer: ECPublicKey) throws(HostCryptoError) -> Secret {
        guard peer.curve == publicKey.curve else { throw .invalidParameter }
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let key = try key()
        let context = try KeyContext(key)
        try unsafe check(EVP_PKEY_derive_init(context.pointer))
        try unsafe check(EVP_PKEY_derive_set_peer(context.pointer, peer.key.handle.pointer))
        var secret = Secret(count: peer.curve.coordinateSize)
        var count = secret.count
        var span = secret.mutableBytes
        let result = unsafe span.withUnsafeMutableBufferPointer { secret in
            unsafe EVP_PKEY_derive(context.pointer, secret.baseAddress, &count)
        }
        try check(result)
        guard count == secret.count else { throw .libraryFailure }
        return secret
    }
}

extension ECCurve {
    /// The point d·G, uncompressed. Constant time in d, whether d is a private key apart.
    ///
    /// - Throws: ``HostCryptoError/invalidKey`` unless 0 < d < n; ``HostCryptoError/libraryFailure``.
    fileprivate func publicPoint(of d: BigNumber) throws(HostCryptoError) -> [UInt8] {
        guard let library = unsafe LibraryContext.context else { throw .libraryFailure }
        let group = try unsafe Handle(EC_GROUP_new_by_curve_name_ex(library, nil, number), free: EC_GROUP_free)
        let isInRange = unsafe BN_is_zero(d.pointer) == 0 && BN_cmp(d.pointer, EC_GROUP_get0_order(group.pointer)) < 0
        guard isInRange else { throw .invalidKey }

        let workspace = try unsafe Handle(BN_CTX_secure_new_ex(library), free: BN_CTX_free)
        let point = try unsafe Handle(EC_POINT_new(group.pointer), free: EC_POINT_clear_free)
        try unsafe check(EC_POINT_mul(group.pointer, point.pointer, d.pointer, nil, nil, workspace.pointer))
        var bytes = [UInt8](repeating: 0, count: pointSize)
        let written = unsafe EC_POINT_point2oct(
            group.pointer, point.pointer, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, workspace.pointer)
        guard written == bytes.count else { throw .libraryFailure }
        return bytes
    }
}
