// SPDX-License-Identifier: Apache-2.0
import Secrets

/// The scheme by which an RSA signature is made of its input.
package enum RSASignatureScheme: Sendable, Hashable {
    /// The number itself, with zeros in front of it up to the length of the modulus (`CKM_RSA_X_509`).
    case raw
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) of bytes that are a DigestInfo already, or any bytes of the application
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

    /// The checked input for a key, in libcrypto's form.
    ///
    /// - Throws: ``HostCryptoError/invalidLength``, ``HostCryptoError/keyTooShort``,
    ///   ``HostCryptoError/valueOutOfRange``, ``HostCryptoError/invalidParameter``.
    func checked(_ input: Span<UInt8>, for key: RSAPublicKey) throws(HostCryptoError) -> [UInt8] {
        guard inputSizes(bitCount: key.bitCount).contains(input.count) else { throw .invalidLength }
        try check(bitCount: key.bitCount)
        return self == .raw ? try key.block(input) : [UInt8](copying: input)
    }

    /// Whether keys of this length can sign so.
    ///
    /// - Throws: ``HostCryptoError/keyTooShort``; ``HostCryptoError/invalidParameter`` for a negative salt length.
    package func check(bitCount: Int) throws(HostCryptoError) {
        switch self {
        case .raw, .pkcs1: break
        case .pkcs1DigestInfo(let hash):
            guard (bitCount + 7) / 8 >= hash.digestInfoSize + RSAPublicKey.pkcs1Overhead else { throw .keyTooShort }
        case .pss(let hash, _, let saltLength):
            guard saltLength >= 0 else { throw .invalidParameter }
            // RFC 8017, 9.1.1, step 3; the encoded message has one bit less than the modulus.
            guard saltLength <= (bitCount + 6) / 8 - hash.size - 2 else { throw .keyTooShort }
        }
    }

    /// The bytes that are signed: a digest, or as many as fit.
    package func inputSizes(bitCount: Int) -> ClosedRange<Int> {
        let size = (bitCount + 7) / 8
        switch self {
        case .raw: return 0...size
        case .pkcs1: return 0...max(size - RSAPublicKey.pkcs1Overhead, 0)
        case .pkcs1DigestInfo(let hash), .pss(let hash, _, _): return hash.size...hash.size
        }
    }
}

extension DigestAlgorithm {
    /// The number of bytes of a DigestInfo in DER (RFC 8017, 9.2, notes).
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
