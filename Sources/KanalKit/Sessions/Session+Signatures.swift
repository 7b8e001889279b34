// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import Tokens

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
    /// GOST R 34.10-2012 with the GOST R 34.11-2012 of the key's size, and for keys of GOST R 34.10-2001 with GOST R
    /// 34.11-94. A signature has 64 or 128 bytes, in the order of PKCS #11 and X.509.
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
    /// - Parameter algorithm: Nil for the key's own: GOST R 34.10, RSASSA-PKCS1-v1_5 with SHA-256, or ECDSA with
    ///   SHA-256.
    /// - Throws: ``KanalError/invalidArgument(_:)`` if the key does not sign by the algorithm.
    public func sign(
        _ message: Span<UInt8>, with key: KeyPair, algorithm: SigningAlgorithm? = nil
    ) throws(KanalError) -> [UInt8] {
        let method = try key.method(algorithm)
        return try sign(try hash(message, by: method), by: method, key, SignedContent(message))
    }

    /// Signs a digest that was computed elsewhere, by the hash function of the algorithm. See ``sign(_:with:algorithm:)``.
    ///
    /// - Throws: ``KanalError/invalidArgument(_:)`` also for a digest of another length.
    public func sign(
        digest: Span<UInt8>, with key: KeyPair, algorithm: SigningAlgorithm? = nil
    ) throws(KanalError) -> [UInt8] {
        let method = try key.method(algorithm, ofDigest: digest.count)
        return try sign([UInt8](copying: digest), by: method, key)
    }

    /// Signs a message that comes in parts, of any length in all. See ``sign(_:with:algorithm:)``.
    ///
    /// - Parameters:
    ///   - fileName: The name of the file that the message is from. A user who is asked for consent sees it.
    ///   - next: The next part; nil at the end. Its errors reach the caller.
    public func sign(
        with key: KeyPair, algorithm: SigningAlgorithm? = nil, fileName: String? = nil,
        parts next: () throws -> [UInt8]?
    ) throws -> [UInt8] {
        let method = try key.method(algorithm)
        return try sign(try digest(of: next, by: method), by: method, key, fileName.map(SignedContent.init(file:)))
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
        let method = try key.method(algorithm)
        return try verify(signature, of: try hash(message, by: method), by: method, key)
    }

    /// Whether a signature belongs to a digest. See ``verify(_:of:with:algorithm:)`` and ``sign(digest:with:algorithm:)``.
    public func verify(
        _ signature: [UInt8], ofDigest digest: Span<UInt8>, with key: KeyPair, algorithm: SigningAlgorithm? = nil
    ) throws(KanalError) -> Bool {
        let method = try key.method(algorithm, ofDigest: digest.count)
        return try verify(signature, of: [UInt8](copying: digest), by: method, key)
    }

    /// Whether a signature belongs to a message that comes in parts. See ``verify(_:of:with:algorithm:)`` and
    /// ``sign(with:algorithm:fileName:parts:)``.
    public func verify(
        _ signature: [UInt8], with key: KeyPair, algorithm: SigningAlgorithm? = nil,
        parts next: () throws -> [UInt8]?
    ) throws -> Bool {
        let method = try key.method(algorithm)
        return try verify(signature, of: try digest(of: next, by: method), by: method, key)
    }

    private func sign(
        _ digest: [UInt8], by method: SignatureMethod, _ key: KeyPair, _ content: SignedContent? = nil
    ) throws(KanalError) -> [UInt8] {
        try call { session throws(TokensError) in
            try session.sign(digest: digest, by: method, with: key.privateKey.object, content: content)
        }
    }

    private func verify(
        _ signature: [UInt8], of digest: [UInt8], by method: SignatureMethod, _ key: KeyPair
    ) throws(KanalError) -> Bool {
        guard let publicKey = key.publicKey else {
            throw .invalidArgument("the key pair's public key is not on the token")
        }
        return try call { session throws(TokensError) in
            try session.verificationKey(publicKey.object, mechanism: method.mechanism)
                .accepts(signature, of: digest, method.scheme)
        }
    }

    private func hash(_ message: Span<UInt8>, by method: SignatureMethod) throws(KanalError) -> [UInt8] {
        try onHost { () throws(HostCryptoError) in try Digest.digest(message, method.hash) }
    }

    private func digest(of next: () throws -> [UInt8]?, by method: SignatureMethod) throws -> [UInt8] {
        var digest = try onHost { () throws(HostCryptoError) in try Digest(method.hash) }
        while let part = try next() { digest.update(part.span) }
        return [UInt8](copying: try digest.finalize())
    }
}

extension KeyPair {
    /// How the key signs a message.
    fileprivate func method(_ algorithm: SigningAlgorithm?) throws(KanalError) -> SignatureMethod {
        switch (try chosen(algorithm), kind) {
        case (.gost, .gost256): SignatureMethod(hash: .streebog256, mechanism: 0xD432_1008)
        case (.gost, .gost2001): SignatureMethod(hash: .gostR341194, mechanism: 0x1202)
        case (.gost, .gost512): SignatureMethod(hash: .streebog512, mechanism: 0xD432_1009)
        case (.rsaPKCS1(let hash), .rsa):
            SignatureMethod(
                hash: hash.algorithm, scheme: .pkcs1DigestInfo(hash.algorithm), mechanism: hash.mechanisms.pkcs1)
        case (.rsaPSS(let hash), .rsa):
            SignatureMethod(hash: hash.algorithm, scheme: hash.pss, mechanism: hash.mechanisms.pss)
        case (.ecdsa(let hash), .p256): SignatureMethod(hash: hash.algorithm, mechanism: hash.mechanisms.ecdsa)
        default: throw .invalidArgument("the key does not sign by this algorithm")
        }
    }

    /// How the key signs a digest of so many bytes.
    fileprivate func method(
        _ algorithm: SigningAlgorithm?, ofDigest count: Int
    ) throws(KanalError) -> SignatureMethod {
        let method = try method(algorithm)
        guard count == method.hash.size else {
            throw .invalidArgument("the digest has \(count) bytes, and must have \(method.hash.size)")
        }
        let mechanism: UInt64 =
            switch (try chosen(algorithm), kind) {
            case (.gost, .gost512): 0xD432_1006
            case (.gost, _): 0x1201
            case (.rsaPKCS1, _): 0x1
            case (.rsaPSS, _): 0xD
            case (.ecdsa, _): 0x1041
            }
        return SignatureMethod(hash: method.hash, scheme: method.scheme, mechanism: mechanism)
    }

    /// - Parameter algorithm: Nil for the key's own.
    private func chosen(_ algorithm: SigningAlgorithm?) throws(KanalError) -> SigningAlgorithm {
        if let algorithm { return algorithm }
        return try kind.algorithm
    }
}

extension KeyKind {
    /// The default algorithm of the key.
    fileprivate var algorithm: SigningAlgorithm {
        get throws(KanalError) {
            switch self {
            case .gost256, .gost512, .gost2001: .gost
            case .rsa: .rsaPKCS1(.sha256)
            case .p256: .ecdsa(.sha256)
            case .other: throw .invalidArgument("this kind of key pair cannot sign here")
            }
        }
    }
}

extension SHA2 {
    fileprivate var pss: RSASignatureScheme { .pss(hash: algorithm, mask: algorithm, saltLength: digestSize) }

    /// The numbers of mechanisms with the function in PKCS #11.
    fileprivate var mechanisms: (pkcs1: UInt64, pss: UInt64, ecdsa: UInt64) {
        switch self {
        case .sha256: (0x40, 0x43, 0x1044)
        case .sha384: (0x41, 0x44, 0x1045)
        case .sha512: (0x42, 0x45, 0x1046)
        }
    }
}
