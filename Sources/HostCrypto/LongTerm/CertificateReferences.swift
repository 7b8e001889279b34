// SPDX-License-Identifier: Apache-2.0
package import GOST
import Secrets

/// The names of the certificates by which a signer's one is verified, without the signer's: complete-certificate-references
/// (RFC 5126, 6.2.1).
package struct CertificateReferences: Sendable, Equatable {
    /// OtherCertID.
    struct Reference: Sendable, Equatable {
        let hash: ReferenceHash
        /// In DER; nil without.
        let issuerSerial: [UInt8]?
    }

    let references: [Reference]

    /// The greatest number of references that are read.
    static let limit = 64

    /// - Parameter certificates: In DER, from the signer's issuer to the trusted one.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for a certificate; ``HostCryptoError/libraryFailure``.
    package init(_ certificates: [[UInt8]], by algorithm: DigestAlgorithm) throws(HostCryptoError) {
        references = try certificates.map { der throws(HostCryptoError) in
            Reference(
                hash: try ReferenceHash(of: der, by: algorithm),
                issuerSerial: try Certificate(der: der.span).issuerSerial)
        }
    }

    /// - Parameter der: The value of the attribute.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for more than 64 references.
    package init(der: [UInt8]) throws(GOSTError) {
        var outer = DERReader(der.span, .ber)
        var list = try outer.nested(.sequence)
        var references: [Reference] = []
        while !list.isAtEnd {
            guard references.count < Self.limit else { throw .invalidParameter }
            var fields = try list.nested(.sequence)
            let hash = try ReferenceHash(&fields)
            let issuerSerial = fields.isAtEnd ? nil : [UInt8](copying: try fields.element(.sequence))
            try fields.end()
            references.append(Reference(hash: hash, issuerSerial: issuerSerial))
        }
        self.references = references
    }

    /// The value of the attribute in DER.
    package var der: [UInt8] {
        DERTag.sequence.element(
            references.flatMap { DERTag.sequence.element($0.hash.der + ($0.issuerSerial ?? [])) })
    }

    /// Whether every certificate is named.
    ///
    /// - Parameter certificates: In DER.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func name(all certificates: [[UInt8]]) throws(HostCryptoError) -> Bool {
        for certificate in certificates {
            var isNamed = false
            for reference in references where try reference.hash.names(certificate) {
                isNamed =
                    isNamed || reference.issuerSerial == nil
                    || reference.issuerSerial == (try? Certificate(der: certificate.span))?.issuerSerial
            }
            guard isNamed else { return false }
        }
        return true
    }
}
