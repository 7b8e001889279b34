// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The certificates that signed attributes name, the signer's and those above it: signing-certificate-v2 (RFC 5035, 3)
/// and signing-certificate (5). With either a message is CAdES-BES (RFC 5126, 4.3.1), and no other certificate of the
/// same key can take the place of the signer's.
struct SigningCertificate: Sendable {
    /// The names of the signer's certificate, one for each of the attributes; empty without them.
    private var own: [NamedCertificate] = []
    /// The names of other certificates, all of which the path to a trusted one must include.
    private(set) var others: [NamedCertificate] = []

    /// The greatest number of others.
    private static let limit = 16

    /// - Throws: ``GOSTError/invalidEncoding`` for an attribute that is malformed, repeated or empty;
    ///   ``GOSTError/invalidParameter`` for a hash function that is not known here, and more than 16 other
    ///   certificates.
    init(_ signer: SignedData.Signer) throws(GOSTError) {
        for (type, standard) in [(CMS.signingCertificateV2, DigestAlgorithm.sha256), (CMS.signingCertificate, .sha1)] {
            let values = try signer.values(of: type)
            guard values.count <= 1 else { throw .invalidEncoding }
            if let value = values.first { try take(value, default: standard) }
        }
    }

    private mutating func take(_ value: [UInt8], default standard: DigestAlgorithm) throws(GOSTError) {
        var reader = DERReader(value.span)
        var attribute = DERReader(try reader.contents(.sequence))
        try reader.end()
        var list = DERReader(try attribute.contents(.sequence))
        // Policies.
        if !attribute.isAtEnd { _ = try attribute.contents(.sequence) }
        try attribute.end()
        own.append(try NamedCertificate(&list, default: standard))
        while !list.isAtEnd {
            guard others.count < Self.limit else { throw .invalidParameter }
            others.append(try NamedCertificate(&list, default: standard))
        }
    }

    /// The value of signing-certificate-v2 in DER, for a signature by an algorithm.
    ///
    /// The certificate is hashed as the content is: readers of GOST signatures have Streebog and may have nothing else,
    /// and OpenSSL 3.0 with the gost engine accepts each of the three (`openssl cms -verify -cades`), and writes it so.
    /// Issuer and number follow it, as OpenSSL writes them too. If the content's digest does not resist collisions,
    /// SHA-256 is used.
    static func value(
        for certificate: Certificate, _ algorithm: SignatureAlgorithm
    ) throws(HostCryptoError) -> [UInt8] {
        let digest = algorithm.digest.resistsCollisions ? algorithm.digest : .sha256
        let named = try NamedCertificate(certificate, by: digest)
        return DERTag.sequence.element(DERTag.sequence.element(named.der))
    }

    /// Whether each of the attributes names this certificate as the signer's.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func allows(_ candidate: PathCandidate) throws(HostCryptoError) -> Bool {
        for name in own where try !name.isName(of: candidate) { return false }
        return true
    }
}

extension Certificate {
    /// The IssuerSerial in DER (RFC 5035, 4): the issuer as the only one of GeneralNames, and the number.
    var issuerSerial: [UInt8] {
        DERTag.sequence.element(DERTag.sequence.element(DERTag.context4.element(issuer)) + serialNumber)
    }
}
