// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import HostCrypto
import Secrets
import Tokens

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
        case (.gost, .gost256): SignatureMethod(hash: .streebog256, mechanism: CKM_GOSTR3410_WITH_GOSTR3411_12_256)
        case (.gost, .gost2001): SignatureMethod(hash: .gostR341194, mechanism: CKM_GOSTR3410_WITH_GOSTR3411)
        case (.gost, .gost512): SignatureMethod(hash: .streebog512, mechanism: CKM_GOSTR3410_WITH_GOSTR3411_12_512)
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
        let mechanism: CK_MECHANISM_TYPE =
            switch (try chosen(algorithm), kind) {
            case (.gost, .gost512): CKM_GOSTR3410_512
            case (.gost, _): CKM_GOSTR3410
            case (.rsaPKCS1, _): CKM_RSA_PKCS
            case (.rsaPSS, _): CKM_RSA_PKCS_PSS
            case (.ecdsa, _): CKM_ECDSA
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
    var algorithm: SigningAlgorithm {
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
