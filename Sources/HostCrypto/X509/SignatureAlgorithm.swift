// SPDX-License-Identifier: Apache-2.0

package import GOST
import Secrets

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

    /// The contents of the BIT STRING for a signature as PKCS #11 has it: an ECDSA signature becomes an
    /// ECDSA-Sig-Value, the others stay.
    package func encoded(_ signature: [UInt8]) -> [UInt8] {
        guard case .ecdsa = self else { return signature }
        let half = signature.count / 2
        return DERTag.sequence.element(
            DERTag.unsignedInteger(Array(signature.prefix(half)))
                + DERTag.unsignedInteger(Array(signature.dropFirst(half))))
    }
}
