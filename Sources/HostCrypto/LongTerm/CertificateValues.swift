// SPDX-License-Identifier: Apache-2.0
package import GOST
import Secrets

/// The certificates that ``CertificateReferences`` name: certificate-values (RFC 5126, 6.3.3).
package struct CertificateValues: Sendable, Equatable {
    /// In DER.
    package let certificates: [[UInt8]]

    /// The greatest number of certificates that are read.
    private static let limit = 64

    /// The certificates of all paths, and of the signers of responses.
    package init(_ paths: [PathEvidence]) {
        let links = paths.flatMap(\.links)
        let signers = links.compactMap { link in
            if case .response(_, let signer, asOf: _)? = link.state { signer } else { nil }
        }
        certificates = (links.map(\.certificate) + signers).eachOnce
    }

    /// - Parameter der: The value of the attribute.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for more than 64 certificates.
    package init(der: [UInt8]) throws(GOSTError) {
        var outer = DERReader(der.span, .ber)
        var list = try outer.nested(.sequence)
        var certificates: [[UInt8]] = []
        while !list.isAtEnd {
            guard certificates.count < Self.limit else { throw .invalidParameter }
            certificates.append([UInt8](copying: try list.element(.sequence)))
        }
        self.certificates = certificates
    }

    /// The value of the attribute in DER.
    package var der: [UInt8] { DERTag.sequence.element(certificates.flatMap(\.self)) }
}
