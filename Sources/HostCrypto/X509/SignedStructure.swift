// SPDX-License-Identifier: Apache-2.0

package import GOST
import Secrets

/// A structure that is signed as in X.509: a certificate or a list of revoked ones (RFC 5280, 4.1.1 and 5.1.1).
struct SignedStructure: Sendable, Equatable {
    /// The signed content, a SEQUENCE in DER.
    let content: [UInt8]
    /// The AlgorithmIdentifier in DER.
    private let identifier: [UInt8]
    /// The object identifier in DER, and the contents of the BIT STRING.
    private let algorithm, signature: [UInt8]
    /// Whether the signed content names the same algorithm, as required (RFC 5280, 4.1.1.2 and 5.1.1.2).
    private var namesAlgorithm = false

    /// - Parameter contents: The contents of the outer SEQUENCE.
    init(_ contents: Span<UInt8>) throws(GOSTError) {
        var structure = DERReader(contents)
        content = [UInt8](copying: try structure.element(.sequence))
        let identifier = [UInt8](copying: try structure.element(.sequence))
        self.identifier = identifier
        var outer = DERReader(identifier.span)
        var fields = DERReader(try outer.contents(.sequence))
        algorithm = try fields.objectIdentifier()
        let bits = try structure.contents(.bitString)
        try structure.end()
        guard !bits.isEmpty, bits[0] == 0 else { throw .invalidEncoding }
        signature = [UInt8](copying: bits.extracting(droppingFirst: 1))
    }

    /// Reads the algorithm that the signed content names.
    mutating func takeAlgorithm(_ content: inout DERReader) throws(GOSTError) {
        let inner = [UInt8](copying: try content.element(.sequence))
        namesAlgorithm = inner == identifier
    }

    /// nil for an algorithm that is not known here.
    var signatureAlgorithm: SignatureAlgorithm? { SignatureAlgorithm(oid: algorithm) }

    /// The digest of the signed content; empty for an algorithm that is not known here.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func digest() throws(HostCryptoError) -> [UInt8] {
        guard let algorithm = signatureAlgorithm else { return [] }
        return try Digest.digest(content.span, algorithm.digest)
    }

    /// Whether it is signed with a key.
    ///
    /// - Parameter digest: ``digest()``.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func isSigned(with key: PublicKeyInfo, digest: [UInt8]) throws(HostCryptoError) -> Bool {
        guard namesAlgorithm, let algorithm = signatureAlgorithm, algorithm.isUsed(with: key) else { return false }
        return try key.isValidSignature(signature, of: digest, algorithm.digest)
    }
}

/// How what X.509 and PKCS #10 have is signed.
package enum SignatureAlgorithm: Sendable, Hashable {
    /// The hash function that goes with the key (RFC 4491, 2.2; RFC 9215, 3).
    case gost(PublicKeyAlgorithm)
    /// RSASSA-PKCS1-v1_5 (RFC 4055, 5; RFC 3279, 2.2.1).
    case rsa(DigestAlgorithm)
    /// ECDSA (RFC 5758, 3.2; RFC 3279, 2.2.3).
    case ecdsa(DigestAlgorithm)

    /// The hash function.
    package var digest: DigestAlgorithm {
        switch self {
        case .gost(.gostR34102001): .gostR341194
        case .gost(.gostR34102012256): .streebog256
        case .gost(.gostR34102012512): .streebog512
        case .rsa(let digest), .ecdsa(let digest): digest
        }
    }

    /// The AlgorithmIdentifier in DER.
    ///
    /// - Throws: ``HostCryptoError/invalidParameter`` for a hash function that no identifier names here.
    package func der() throws(HostCryptoError) -> [UInt8] {
        guard let oid else { throw .invalidParameter }
        if case .rsa = self { return DERTag.sequence.element(oid + DERTag.null.element([])) }
        return DERTag.sequence.element(oid)
    }

    /// The algorithm with this object identifier in DER; nil for another one.
    init?(oid: [UInt8]) {
        guard let algorithm = Self.byIdentifier[oid] else { return nil }
        self = algorithm
    }

    private static let byIdentifier: [[UInt8]: SignatureAlgorithm] = {
        let all: [SignatureAlgorithm] =
            PublicKeyAlgorithm.allCases.map { .gost($0) } + DigestAlgorithm.allCases.flatMap { [.rsa($0), .ecdsa($0)] }
        return Dictionary(all.compactMap { algorithm in algorithm.oid.map { ($0, algorithm) } }) { first, _ in first }
    }()

    /// The object identifier in DER; nil if none is known here.
    private var oid: [UInt8]? {
        let contents: [UInt8]
        switch self {
        case .gost(.gostR34102001): contents = [0x2A, 0x85, 0x03, 0x02, 0x02, 0x03]
        case .gost(.gostR34102012256): contents = [0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x03, 0x02]
        case .gost(.gostR34102012512): contents = [0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x03, 0x03]
        case .rsa(let digest):
            let arcs: [DigestAlgorithm: UInt8] = [
                .md5: 4, .sha1: 5, .sha256: 11, .sha384: 12, .sha512: 13, .sha224: 14,
            ]
            guard let arc = arcs[digest] else { return nil }
            contents = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, arc]
        case .ecdsa(let digest):
            let arcs: [DigestAlgorithm: [UInt8]] = [
                .sha1: [1], .sha224: [3, 1], .sha256: [3, 2], .sha384: [3, 3], .sha512: [3, 4],
            ]
            guard let arcs = arcs[digest] else { return nil }
            contents = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04] + arcs
        }
        return DERTag.objectIdentifier.element(contents)
    }

    /// Whether keys of this kind make such signatures.
    func isUsed(with key: PublicKeyInfo) -> Bool {
        switch (self, key) {
        case (.gost(let algorithm), .gost(let info)): algorithm == info.algorithm.algorithm
        case (.rsa, .rsa), (.ecdsa, .ec): true
        default: false
        }
    }

    /// The contents of the BIT STRING for a signature as PKCS #11 has it: that of ECDSA becomes an ECDSA-Sig-Value, the
    /// others stay.
    package func encoded(_ signature: [UInt8]) -> [UInt8] {
        guard case .ecdsa = self else { return signature }
        let half = signature.count / 2
        return DERTag.sequence.element(
            DERTag.unsignedInteger(Array(signature.prefix(half)))
                + DERTag.unsignedInteger(Array(signature.dropFirst(half))))
    }
}

extension DigestAlgorithm {
    /// Whether no way is known to make two messages with one digest, so that a signature covers the one that its maker
    /// saw. MD5 and SHA-1 are not among those (RFC 6151; RFC 9155, 1).
    var resistsCollisions: Bool { self != .md5 && self != .sha1 }
}

extension PublicKeyInfo {
    /// Whether a signature by this key counts: RSA has to have 1024 bits or more, and an exponent of at most 256
    /// (FIPS 186-5, 5.1), for a longer one makes its verification slow.
    package var isStrong: Bool {
        guard case .rsa(let key) = self else { return true }
        return key.bitCount >= 1024 && key.publicExponent.count <= 32
    }
}
