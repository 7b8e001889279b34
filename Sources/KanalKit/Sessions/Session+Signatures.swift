// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Secrets

/// A hash function of the family SHA-2 (FIPS 180-4).
public enum SHA2: Sendable, Hashable, CaseIterable {
    /// 32 bytes.
    case sha256
    /// 48 bytes.
    case sha384
    /// 64 bytes.
    case sha512

    /// The bytes of a digest.
    public var digestSize: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

/// How a key signs, and how a message is hashed before.
public enum SigningAlgorithm: Sendable, Hashable {
    /// GOST R 34.10-2012 with the GOST R 34.11-2012 of the key's size. A signature has 64 or 128 bytes, in the order of
    /// PKCS #11 and X.509.
    case gost
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
    case rsaPKCS1(SHA2)
    /// RSASSA-PSS (RFC 8017, 8.1). The mask is by MGF1 with the same hash function, the salt as long as its digest.
    case rsaPSS(SHA2)
    /// ECDSA (FIPS 186-4, 6). A signature is r and s, big-endian, 32 bytes each.
    case ecdsa(SHA2)
}

extension Session {
    /// Signs a message with a key of the token.
    ///
    /// - Parameter algorithm: Nil for the key's own: GOST R 34.10-2012, RSASSA-PKCS1-v1_5 with SHA-256, or ECDSA with
    ///   SHA-256.
    /// - Throws: ``KanalError/invalidArgument(_:)`` if the key does not sign by the algorithm.
    public func sign(
        _ message: Span<UInt8>, with key: KeyPair, algorithm: SigningAlgorithm? = nil
    ) throws(KanalError) -> [UInt8] {
        try sign([UInt8](copying: message), try key.mechanism(algorithm), key)
    }

    /// Signs a digest that was computed elsewhere, by the hash function of the algorithm. See ``sign(_:with:algorithm:)``.
    ///
    /// - Throws: ``KanalError/invalidArgument(_:)`` also for a digest of another length.
    public func sign(
        digest: Span<UInt8>, with key: KeyPair, algorithm: SigningAlgorithm? = nil
    ) throws(KanalError) -> [UInt8] {
        let (mechanism, input) = try key.mechanism(algorithm, digest: [UInt8](copying: digest))
        return try sign(input, mechanism, key)
    }

    /// Signs a message that comes in parts, of any length in all. See ``sign(_:with:algorithm:)``.
    ///
    /// - Parameter next: The next part; nil at the end. Its errors reach the caller.
    public func sign(
        with key: KeyPair, algorithm: SigningAlgorithm? = nil, parts next: () throws -> [UInt8]?
    ) throws -> [UInt8] {
        let mechanism = try key.mechanism(algorithm)
        let handle = try handle(of: key.privateKey)
        try call { session throws(CKError) in
            session.cancel(CKF_SIGN)
            try session.signInit(mechanism, key: handle)
        }
        defer { try? call { session throws(CKError) in session.cancel(CKF_SIGN) } }
        while let part = try next() {
            try call { session throws(CKError) in try session.signUpdate(part.span) }
        }
        return try call { session throws(CKError) in try session.signFinal() }
    }

    /// Whether a signature of a message was made with the private half of a key pair. Its public half is on the token;
    /// the host computes.
    ///
    /// - Parameter algorithm: See ``sign(_:with:algorithm:)``.
    /// - Throws: ``KanalError/invalidArgument(_:)`` if the key does not sign by the algorithm, or its public half is
    ///   missing.
    public func verify(
        _ signature: [UInt8], of message: Span<UInt8>, with key: KeyPair, algorithm: SigningAlgorithm? = nil
    ) throws(KanalError) -> Bool {
        try verify(signature, [UInt8](copying: message), try key.mechanism(algorithm), key)
    }

    /// Whether a signature belongs to a digest. See ``verify(_:of:with:algorithm:)`` and ``sign(digest:with:algorithm:)``.
    public func verify(
        _ signature: [UInt8], ofDigest digest: Span<UInt8>, with key: KeyPair, algorithm: SigningAlgorithm? = nil
    ) throws(KanalError) -> Bool {
        let (mechanism, input) = try key.mechanism(algorithm, digest: [UInt8](copying: digest))
        return try verify(signature, input, mechanism, key)
    }

    /// Whether a signature belongs to a message that comes in parts. See ``verify(_:of:with:algorithm:)`` and
    /// ``sign(with:algorithm:parts:)``.
    public func verify(
        _ signature: [UInt8], with key: KeyPair, algorithm: SigningAlgorithm? = nil,
        parts next: () throws -> [UInt8]?
    ) throws -> Bool {
        let mechanism = try key.mechanism(algorithm)
        let handle = try publicHandle(of: key)
        try call { session throws(CKError) in
            session.cancel(CKF_VERIFY)
            try session.verifyInit(mechanism, key: handle)
        }
        defer { try? call { session throws(CKError) in session.cancel(CKF_VERIFY) } }
        while let part = try next() {
            try call { session throws(CKError) in try session.verifyUpdate(part.span) }
        }
        return try call { session throws(CKError) in
            try isValid { () throws(CKError) in try session.verifyFinal(signature: signature) }
        }
    }

    private func sign(_ input: [UInt8], _ mechanism: Mechanism, _ key: KeyPair) throws(KanalError) -> [UInt8] {
        let handle = try handle(of: key.privateKey)
        return try call { session throws(CKError) in
            session.cancel(CKF_SIGN)
            try session.signInit(mechanism, key: handle)
            return try session.sign(input.span)
        }
    }

    private func verify(
        _ signature: [UInt8], _ input: [UInt8], _ mechanism: Mechanism, _ key: KeyPair
    ) throws(KanalError) -> Bool {
        let handle = try publicHandle(of: key)
        return try call { session throws(CKError) in
            session.cancel(CKF_VERIFY)
            try session.verifyInit(mechanism, key: handle)
            return try isValid { () throws(CKError) in try session.verify(input.span, signature: signature) }
        }
    }

    private func publicHandle(of key: KeyPair) throws(KanalError) -> CK_OBJECT_HANDLE {
        guard let publicKey = key.publicKey else {
            throw .invalidArgument("the key pair's public key is not on the token")
        }
        return try handle(of: publicKey)
    }
}

/// Whether a verification succeeds. A signature that is not as long as the key's are is wrong as others are.
private func isValid(_ verify: () throws(CKError) -> Void) throws(CKError) -> Bool {
    do throws(CKError) { try verify() } catch {
        guard error == .signatureInvalid || error == .signatureLengthRange else { throw error }
        return false
    }
    return true
}

extension KeyPair {
    /// The mechanism by which the key signs a message.
    fileprivate func mechanism(_ algorithm: SigningAlgorithm?) throws(KanalError) -> Mechanism {
        switch (try chosen(algorithm), kind) {
        case (.gost, .gost256): Mechanism(CKM_GOSTR3410_WITH_GOSTR3411_12_256)
        case (.gost, .gost512): Mechanism(CKM_GOSTR3410_WITH_GOSTR3411_12_512)
        case (.rsaPKCS1(let hash), .rsa): Mechanism(hash.values.pkcs1)
        case (.rsaPSS(let hash), .rsa): Mechanism(hash.values.pss, hash.pssParameters)
        case (.ecdsa(let hash), .p256): Mechanism(hash.values.ecdsa)
        default: throw Self.unfit
        }
    }

    /// The mechanism by which the key signs a digest, and its input.
    fileprivate func mechanism(
        _ algorithm: SigningAlgorithm?, digest: [UInt8]
    ) throws(KanalError) -> (Mechanism, input: [UInt8]) {
        let (mechanism, size, input): (Mechanism, Int, [UInt8]) =
            switch (try chosen(algorithm), kind) {
            case (.gost, .gost256): (Mechanism(CKM_GOSTR3410), 32, digest)
            case (.gost, .gost512): (Mechanism(CKM_GOSTR3410_512), 64, digest)
            case (.rsaPKCS1(let hash), .rsa):
                (Mechanism(CKM_RSA_PKCS), hash.digestSize, hash.digestInfoPrefix + digest)
            case (.rsaPSS(let hash), .rsa): (Mechanism(CKM_RSA_PKCS_PSS, hash.pssParameters), hash.digestSize, digest)
            case (.ecdsa(let hash), .p256): (Mechanism(CKM_ECDSA), hash.digestSize, digest)
            default: throw Self.unfit
            }
        guard digest.count == size else {
            throw .invalidArgument("the digest has \(digest.count) bytes, and must have \(size)")
        }
        return (mechanism, input)
    }

    /// - Parameter algorithm: Nil for the key's own.
    private func chosen(_ algorithm: SigningAlgorithm?) throws(KanalError) -> SigningAlgorithm {
        if let algorithm { return algorithm }
        return try kind.algorithm
    }

    private static let unfit = KanalError.invalidArgument("the key does not sign by this algorithm")
}

extension KeyKind {
    /// The default algorithm of the key.
    fileprivate var algorithm: SigningAlgorithm {
        get throws(KanalError) {
            switch self {
            case .gost256, .gost512: .gost
            case .rsa: .rsaPKCS1(.sha256)
            case .p256: .ecdsa(.sha256)
            case .other: throw .invalidArgument("this kind of key pair cannot sign here")
            }
        }
    }
}

extension Mechanism {
    init(_ type: CK_MECHANISM_TYPE, _ parameter: [UInt8] = []) { self.init(type: type, parameter: parameter) }
}

extension SHA2 {
    /// The numbers of the function, of signatures with it, and of a mask with it.
    typealias Values = (
        hash: CK_MECHANISM_TYPE, mask: CK_ULONG, pkcs1: CK_MECHANISM_TYPE, pss: CK_MECHANISM_TYPE,
        ecdsa: CK_MECHANISM_TYPE
    )

    var values: Values {
        switch self {
        case .sha256:
            (CKM_SHA256, CK_ULONG(CKG_MGF1_SHA256), CKM_SHA256_RSA_PKCS, CKM_SHA256_RSA_PKCS_PSS, CKM_ECDSA_SHA256)
        case .sha384:
            (CKM_SHA384, CK_ULONG(CKG_MGF1_SHA384), CKM_SHA384_RSA_PKCS, CKM_SHA384_RSA_PKCS_PSS, CKM_ECDSA_SHA384)
        case .sha512:
            (CKM_SHA512, CK_ULONG(CKG_MGF1_SHA512), CKM_SHA512_RSA_PKCS, CKM_SHA512_RSA_PKCS_PSS, CKM_ECDSA_SHA512)
        }
    }

    /// CK_RSA_PKCS_PSS_PARAMS.
    fileprivate var pssParameters: [UInt8] {
        [values.hash, values.mask, CK_ULONG(clamping: digestSize)].flatMap(\.bytes)
    }

    /// The bytes before the digest in a DigestInfo (RFC 8017, 9.2, note 1).
    fileprivate var digestInfoPrefix: [UInt8] {
        let (length, number): (UInt8, UInt8) =
            switch self {
            case .sha256: (32, 1)
            case .sha384: (48, 2)
            case .sha512: (64, 3)
            }
        let oid: [UInt8] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, number]
        return [0x30, 17 + length, 0x30, 0x0D] + oid + [0x05, 0x00, 0x04, length]
    }
}
