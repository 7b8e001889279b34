// SPDX-License-Identifier: Apache-2.0

/// The verification of a message's signatures, and of the paths from the certificates of its signers to trusted ones.
///
/// It takes as many steps as there are signers and certificates: of all signatures, those of signers, certificates and
/// lists of revoked certificates, at most 64 and 8 for each signer are verified.
package final class SignerVerification {
    /// Who has signed.
    package struct Result: Sendable {
        /// The signers' certificates in DER.
        package let certificates: [[UInt8]]
        /// Which of them the application knows.
        package let known: [[UInt8]]
    }

    private let signers: [SignedData.Signer]
    private let search: PathSearch
    /// Who has signed, when that is known.
    private var found: [Found] = []

    private struct Found {
        let candidate: PathCandidate
        /// The certificates that the signer wants on the path.
        let others: [NamedCertificate]
    }

    /// - Parameters:
    ///   - usesMessage: Whether the certificates that came with the message are used.
    ///   - time: When the certificates must be valid, in seconds since 1970.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for a trusted certificate or a list that cannot be read;
    ///   ``HostCryptoError/libraryFailure``.
    package init(
        _ message: SignedData, trusting store: TrustStore, usesMessage: Bool, time: Int
    ) throws(HostCryptoError) {
        signers = message.signers
        search = try PathSearch(
            store, further: usesMessage ? message.certificates : [], time: time,
            signatureLimit: Self.signatureLimit(signers: message.signers.count))
    }

    /// How many signatures were verified.
    package var signatureCount: Int { search.signatureCount }

    /// How many signatures are verified at most.
    static func signatureLimit(signers: Int) -> Int { 64 + 8 * signers }

    /// Looks for the certificate of each signer, with whose key its signature is valid.
    ///
    /// A signature by MD5, by SHA-1 or with a key of RSA below 1024 bits counts for nothing, nor does one without signed
    /// attributes of what may be another message's attributes. A certificate that the signed attributes do not name,
    /// though they name one, is not the signer's.
    ///
    /// - Parameters:
    ///   - digests: The content's, by each of the signers' hash functions.
    ///   - form: The content's.
    /// - Returns: nil unless there is a signer and all have signed.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func signers(
        of digests: [DigestAlgorithm: [UInt8]], _ form: ContentForm
    ) throws(HostCryptoError) -> Result? {
        guard !signers.isEmpty else { return nil }
        found = []
        for signer in signers {
            guard let digest = digests[signer.digest], signer.hasSignedAttributes || !form.isAttributes,
                let signed = try certificate(of: signer, digest)
            else { return nil }
            found.append(signed)
        }
        let candidates = found.map(\.candidate)
        return Result(
            certificates: candidates.map(\.certificate.der), known: candidates.filter(\.isKnown).map(\.certificate.der))
    }

    private func certificate(of signer: SignedData.Signer, _ digest: [UInt8]) throws(HostCryptoError) -> Found? {
        guard signer.digest.resistsCollisions, let signed = try signer.signedDigest(contentDigest: digest),
            let named = try? SigningCertificate(signer)
        else { return nil }
        for candidate in search.candidates(issuer: signer.issuer, serialNumber: signer.serialNumber) {
            guard try named.allows(candidate), let key = candidate.key else { continue }
            guard search.takeSignature() else { return nil }
            if try signer.isSignature(of: signed, with: key) {
                return Found(candidate: candidate, others: named.others)
            }
        }
        return nil
    }

    /// Whether a path leads from each signer to a trusted certificate, and over all that the signer has named.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func trustsSigners() throws(HostCryptoError) -> Bool {
        for signer in found where try !search.trusts(signer.candidate, over: signer.others) { return false }
        return !found.isEmpty
    }
}
