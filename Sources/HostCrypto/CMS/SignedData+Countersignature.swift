// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// Signatures of a signer's signature, in the signer's unsigned attributes (RFC 5652, 11.4).
extension SignedData.Signer {
    /// The signers who have countersigned.
    ///
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for a hash function that is not known
    ///   here, and for more than ``SignedData/signerLimit`` of them.
    func countersigners() throws(GOSTError) -> [SignedData.Signer] {
        let limit = SignedData.signerLimit
        let values = try unsignedValues(of: CMS.countersignature, limit: limit + 1)
        guard values.count <= limit else { throw .invalidParameter }
        var signers: [SignedData.Signer] = []
        for value in values {
            var reader = DERReader(value.span, .ber)
            signers.append(try SignedData.Signer(&reader, of: nil))
        }
        return signers
    }

    /// The number of those whose signatures may have to be verified.
    var countersignerCount: Int { (try? countersigners())?.count ?? 0 }
}

extension SignerVerification {
    /// A countersignature, and how far it counts.
    package struct Countersignature: Sendable {
        /// In DER; nil if the countersignature is not verified.
        package let certificate: [UInt8]?
        /// The signing time that the signer claims, in seconds since 1970.
        package let signingTime: Int?
        /// The reason why it is not verified.
        package let fault: Fault?
        /// The path from the certificate to a trusted one, or the reason why it was not found; nil if not requested.
        package let path: PathOutcome?
    }

    /// The countersignatures of a signer of the message, as ``signers(of:_:)`` verifies signers.
    ///
    /// - Parameter isTrustAsked: Whether paths to trusted certificates are searched.
    /// - Returns: One with ``Fault/attributes`` for countersignatures that cannot be read.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func countersignatures(
        of signer: SignedData.Signer, isTrustAsked: Bool
    ) throws(HostCryptoError) -> [Countersignature] {
        guard let all = try? signer.countersigners() else {
            return [Countersignature(certificate: nil, signingTime: nil, fault: .attributes, path: nil)]
        }
        var results: [Countersignature] = []
        for countersigner in all {
            let (found, fault) = try found(countersigner, of: signer.signature)
            let path = if isTrustAsked, let found { try self.path(from: found) } else { PathOutcome?.none }
            results.append(
                Countersignature(
                    certificate: found?.candidate.certificate.der, signingTime: countersigner.signingTime, fault: fault,
                    path: path))
        }
        return results
    }

    private func found(
        _ countersigner: SignedData.Signer, of signature: [UInt8]
    ) throws(HostCryptoError) -> (Found?, Fault?) {
        let algorithm = countersigner.digest
        guard algorithm.resistsCollisions else { return (nil, .weakAlgorithm) }
        var form = ContentForm()
        form.update(signature.span)
        guard countersigner.hasSignedAttributes || !form.isAttributes else { return (nil, .attributes) }
        return try certificate(of: countersigner, try Digest.digest(signature.span, algorithm))
    }
}
