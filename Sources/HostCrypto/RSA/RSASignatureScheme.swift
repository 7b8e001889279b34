import Secrets

/// How an RSA signature is made of what is signed.
public enum RSASignatureScheme: Sendable, Hashable {
    /// The number itself, with zeros in front of it up to the length of the modulus (`CKM_RSA_X_509`).
    case raw
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) of octets that are a DigestInfo already, or what the application likes
    /// (`CKM_RSA_PKCS`).
    case pkcs1
    /// RSASSA-PKCS1-v1_5 of a digest by this algorithm, which is put into a DigestInfo.
    case pkcs1DigestInfo(DigestAlgorithm)
    /// RSASSA-PSS (RFC 8017, 8.1) of a digest by `hash`, with MGF1 over `mask`.
    case pss(hash: DigestAlgorithm, mask: DigestAlgorithm, saltLength: Int)

    var padding: StaticString {
        switch self {
        case .raw: "none"
        case .pkcs1, .pkcs1DigestInfo: "pkcs1"
        case .pss: "pss"
        }
    }

    /// - Throws: ``HostCryptoError/invalidParameter`` for a hash function that RSA is not used with here.
    func parameters() throws(HostCryptoError) -> Parameters {
        var parameters = try Parameters()
        try parameters.add("pad-mode", text: padding)
        switch self {
        case .raw, .pkcs1:
            break
        case .pkcs1DigestInfo(let hash):
            try parameters.add("digest", hash)
        case .pss(let hash, let mask, let saltLength):
            try parameters.add("digest", hash)
            try parameters.add("mgf1-digest", mask)
            try parameters.add("saltlen", integer: saltLength)
        }
        return parameters
    }

    /// What is signed by a key, checked, as libcrypto takes it.
    ///
    /// - Throws: ``HostCryptoError/invalidLength``, ``HostCryptoError/keyTooShort``,
    ///   ``HostCryptoError/valueOutOfRange``, ``HostCryptoError/invalidParameter``.
    func checked(_ input: Span<UInt8>, for key: RSAPublicKey) throws(HostCryptoError) -> [UInt8] {
        switch self {
        case .raw:
            return try key.block(input)
        case .pkcs1:
            guard input.count <= key.size - RSAPublicKey.pkcs1Overhead else { throw .invalidLength }
        case .pkcs1DigestInfo(let hash):
            guard input.count == hash.size else { throw .invalidLength }
            guard key.size >= hash.digestInfoSize + RSAPublicKey.pkcs1Overhead else { throw .keyTooShort }
        case .pss(let hash, _, let saltLength):
            guard saltLength >= 0 else { throw .invalidParameter }
            guard input.count == hash.size else { throw .invalidLength }
            // RFC 8017, 9.1.1, step 3; the encoded message has one bit less than the modulus.
            guard saltLength <= (key.bitCount + 6) / 8 - hash.size - 2 else { throw .keyTooShort }
        }
        return [UInt8](copying: input)
    }
}

extension DigestAlgorithm {
    /// The number of octets of a DigestInfo in DER (RFC 8017, 9.2, notes).
    var digestInfoSize: Int {
        switch self {
        case .md5: 18 + size
        case .sha1: 15 + size
        default: 19 + size
        }
    }
}

extension Parameters {
    /// - Throws: ``HostCryptoError/invalidParameter`` for a hash function of GOST.
    mutating func add(_ name: StaticString, _ hash: DigestAlgorithm) throws(HostCryptoError) {
        guard let text = hash.name else { throw .invalidParameter }
        try add(name, text: text)
    }
}
