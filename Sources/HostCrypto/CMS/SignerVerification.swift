// SPDX-License-Identifier: Apache-2.0

/// The verification of a message's signatures, and of the paths from the certificates of its signers to trusted ones.
///
/// Its work is linear in the number of signers and certificates: of all signatures, by signers and on certificates and
/// lists of revoked certificates, at most 64 and 8 for each signer, and for each of 256 countersigners, are verified, and as
/// many certificates are looked at more than once.
package final class SignerVerification {
    /// The verified signers.
    package struct Result: Sendable {
        /// The signers' certificates in DER.
        package let certificates: [[UInt8]]
        /// Which of them the application knows.
        package let known: [[UInt8]]
        /// The signing times that the signers claim, in seconds since 1970; nil for a signer that claims none.
        package let signingTimes: [Int?]
    }

    /// The reason why the message is not signed, or not by all signers.
    package enum Fault: Sendable, Equatable {
        /// The message has no signers.
        case noSigner
        /// A hash function or a key does not count any more, or is not known here.
        case weakAlgorithm
        /// The message does not announce the hash function of a signer, so that its content was not hashed by it.
        case unannouncedHash
        /// The signed attributes cannot be read, do not fit this type of content, or could be meant as a content.
        case attributes
        /// The signer's certificate is missing, or differs from the certificate named in the signed attributes.
        case certificate
        /// The content differs from the signed content.
        case content
        /// The signature is wrong.
        case signature
        /// More signatures would have to be verified, or certificates looked at, than are allowed.
        case limit
        /// The algorithm beside the signature is not the key's, and has to be.
        case order
    }

    private let signers: [SignedData.Signer]
    private let requiresOrder: Bool
    private let search: PathSearch
    private let store: TrustStore
    /// The certificates that came with the message, and others, in DER.
    private let further: [[UInt8]]
    /// The signers found, once known.
    private var found: [Found] = []
    /// The reason why ``signers(of:_:)`` found none.
    package private(set) var fault: Fault?

    struct Found {
        let candidate: PathCandidate
        /// The certificates that the signer wants on the path.
        let others: [NamedCertificate]
    }

    /// - Parameters:
    ///   - usesMessage: Whether the certificates that came with the message are used.
    ///   - further: Certificates in DER that help to find a way, beside these.
    ///   - requiresOrder: Whether the algorithm beside a signature must be the key's.
    ///   - purpose: The use of the signatures.
    ///   - time: When the certificates must be valid, in seconds since 1970.
    ///   - knownUntil: The time from which one looks back at it.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for a trusted certificate or a list that cannot be read;
    ///   ``HostCryptoError/libraryFailure``.
    package init(
        _ message: SignedData, trusting store: TrustStore, usesMessage: Bool, further: [[UInt8]] = [],
        requiresOrder: Bool = false, purpose: PathPurpose = .messages, time: Int, knownUntil: Int? = nil
    ) throws(HostCryptoError) {
        signers = message.signers
        self.requiresOrder = requiresOrder
        self.store = store
        let further = further + (usesMessage ? message.certificates : [])
        self.further = further
        search = try PathSearch(
            store, further: further, purpose: purpose, time: time, knownUntil: knownUntil,
            signatureLimit: Self.signatureLimit(
                signers: message.signers.count
                    + min(message.signers.reduce(0) { $0 + $1.countersignerCount }, SignedData.signerLimit)))
    }

    /// The number of verified signatures.
    package var signatureCount: Int { search.signatureCount }
    /// The number of certificates that were looked at, each as often as that was.
    package var stepCount: Int { search.stepCount }

    /// The limit of verified signatures.
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
        found = []
        fault = signers.isEmpty ? .noSigner : nil
        for signer in signers {
            guard signer.digest.resistsCollisions else { return refused(.weakAlgorithm) }
            guard let digest = digests[signer.digest] else { return refused(.unannouncedHash) }
            guard signer.hasSignedAttributes || !form.isAttributes else { return refused(.attributes) }
            let (signed, fault) = try certificate(of: signer, digest)
            guard let signed else { return refused(fault) }
            found.append(signed)
        }
        guard fault == nil else { return nil }
        let candidates = found.map(\.candidate)
        return Result(
            certificates: candidates.map(\.certificate.der), known: candidates.filter(\.isKnown).map(\.certificate.der),
            signingTimes: signers.map(\.signingTime))
    }

    /// The certificate of a signer, by the digest of the signed input, or the reason why it is missing.
    func certificate(
        of signer: SignedData.Signer, _ digest: [UInt8]
    ) throws(HostCryptoError) -> (Found?, Fault?) {
        guard !signer.isOfOtherContent(than: digest) else { return (nil, .content) }
        guard let signed = try signer.signedDigest(contentDigest: digest), let named = try? SigningCertificate(signer)
        else { return (nil, .attributes) }
        var fault = Fault.certificate
        // An attacker's certificates can all have one issuer and number, and cost no signature.
        for candidate in search.candidates(signer.identifier) {
            guard search.takeStep() else { return (nil, .limit) }
            guard try named.allows(candidate) else { continue }
            guard let key = candidate.key else {
                if fault == .certificate { fault = .weakAlgorithm }
                continue
            }
            guard !requiresOrder || signer.names(key) else {
                fault = .order
                continue
            }
            guard search.takeSignature() else { return (nil, .limit) }
            if try signer.isSignature(of: signed, with: key) {
                return (Found(candidate: candidate, others: named.others), nil)
            }
            fault = .signature
        }
        return (nil, fault)
    }

    private func refused(_ fault: Fault?) -> Result? {
        found = []
        self.fault = fault
        return nil
    }

    /// The path from a signer to a trusted certificate, or the reason why it was not found.
    func path(from signer: Found) throws(HostCryptoError) -> PathOutcome {
        try search.path(from: signer.candidate, over: signer.others)
    }

    /// Whether a path leads from each signer to a trusted certificate, and over all that the signer has named.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func trustsSigners() throws(HostCryptoError) -> Bool {
        for signer in found where try path(from: signer).evidence == nil { return false }
        return !found.isEmpty
    }

    /// For each signer, the path to a trusted certificate, or the reason why it was not found.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func paths() throws(HostCryptoError) -> [PathOutcome] {
        try found.map { signer throws(HostCryptoError) in try path(from: signer) }
    }

    /// The path that led from a signer at a past time, or the reason why it was not found.
    ///
    /// - Parameters:
    ///   - index: The signer's place.
    ///   - time: When the certificates had to be valid, in seconds since 1970.
    ///   - now: The time from which one looks back at it.
    ///   - byMessageAlone: Whether certificates and statements count that came with the message alone.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func path(
        ofSigner index: Int, at time: Int, from now: Int, byMessageAlone: Bool = false
    ) throws(HostCryptoError) -> PathOutcome {
        let (certificate, others) = (found[index].candidate.certificate, found[index].others)
        let then = try PathSearch(
            byMessageAlone ? store.ofMessageAlone : store, further: further, time: time, knownUntil: now,
            signatureLimit: Self.signatureLimit(signers: 1))
        let name = SignerIdentifier.issuer(certificate.issuer, serialNumber: certificate.serialNumber)
        guard let leaf = then.candidates(name).first(where: { $0.certificate == certificate }) else {
            return .notFound(PathFault(.noPath, certificate.der))
        }
        return try then.path(from: leaf, over: others)
    }
}
