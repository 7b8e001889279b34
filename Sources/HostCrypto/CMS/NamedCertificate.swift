// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A certificate that a signed attribute names by its digest (ESSCertIDv2, RFC 5035, 4; ESSCertID, 6).
struct NamedCertificate: Sendable {
    let algorithm: DigestAlgorithm
    let digest: [UInt8]
    /// The IssuerSerial in DER; nil if the digest stands alone.
    let issuerSerial: [UInt8]?

    /// - Throws: ``HostCryptoError/libraryFailure``.
    init(_ certificate: Certificate, by algorithm: DigestAlgorithm) throws(HostCryptoError) {
        let der = certificate.der
        self.algorithm = algorithm
        digest = try Digest.digest(der.span, algorithm)
        issuerSerial = certificate.issuerSerial
    }

    /// Reads an ESSCertIDv2. An ESSCertID is one without an algorithm, by SHA-1.
    init(_ reader: inout DERReader, default standard: DigestAlgorithm) throws(GOSTError) {
        var element = DERReader(try reader.contents(.sequence))
        var algorithm: DigestAlgorithm? = standard
        if element.isAt(.sequence), standard != .sha1 {
            var identifier = DERReader(try element.contents(.sequence))
            let oid = try identifier.objectIdentifier()
            algorithm = DigestAlgorithm.allCases.first { $0.oid == oid }
        }
        guard let algorithm else { throw .invalidParameter }
        self.algorithm = algorithm
        digest = [UInt8](copying: try element.contents(.octetString))
        issuerSerial = element.isAtEnd ? nil : [UInt8](copying: try element.element(.sequence))
        try element.end()
    }

    /// The ESSCertIDv2 in DER. SHA-256 is its default, which DER leaves out (X.690, 11.5).
    var der: [UInt8] {
        DERTag.sequence.element(
            (algorithm == .sha256 ? [] : algorithm.identifier) + DERTag.octetString.element(digest)
                + (issuerSerial ?? []))
    }

    /// Whether it names a certificate. Issuer and number, if present, must be the certificate's too.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func isName(of candidate: PathCandidate) throws(HostCryptoError) -> Bool {
        guard try candidate.digest(by: algorithm) == digest else { return false }
        return issuerSerial == nil || issuerSerial == candidate.certificate.issuerSerial
    }
}
