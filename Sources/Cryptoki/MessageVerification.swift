import CCryptoki
import HostCrypto
import Secrets

/// What an application trusts in when it verifies a message: certificates and lists of revoked ones, in DER.
public struct MessageStore: Sendable {
    let trusted, certificates, revocationLists: [[UInt8]]

    public init(trusted: [[UInt8]], certificates: [[UInt8]], revocationLists: [[UInt8]]) {
        self.trusted = trusted
        self.certificates = certificates
        self.revocationLists = revocationLists
    }
}

/// What a verification has found: every signature of the message is good.
public struct VerifiedMessage: Sendable {
    /// Empty for content that came another way.
    public let content: [UInt8]
    /// The signers' certificates in DER.
    public let signers: [[UInt8]]
    /// Whether a path leads from each of them to one that is trusted, or nobody asked for that.
    public let isTrusted: Bool
}

/// The verification of a signed message. It runs on the host.
final class MessageVerification {
    /// What counts besides the message, by the vendor's flags.
    struct Policy {
        /// Whether the certificates that came with the message are used.
        var usesInternalCertificates = true
        var checksSignatureOnly = false
    }

    let message: SignedData
    private let store: TrustStore
    private let policy: Policy
    private let time: Int
    /// The content's, by each of the signers' hash functions.
    private var digests: [DigestAlgorithm: MessageDigest] = [:]

    /// - Parameter time: When the certificates must be valid, in seconds since 1970.
    init(_ message: SignedData, trusting store: TrustStore, _ policy: Policy, time: Int) throws(CKError) {
        self.message = message
        self.store = store
        self.policy = policy
        self.time = time
        for signer in message.signers where digests[signer.digest] == nil {
            let size = signer.digest.size
            digests[signer.digest] = try MessageDigest(sizes: size...size, hash: signer.digest)
        }
    }

    func update(_ data: Span<UInt8>) throws(CKError) {
        for digest in digests.values { try digest.update(data) }
    }

    /// - Throws: `CKR_SIGNATURE_INVALID`, for a message that nobody has signed too.
    func finish() throws(CKError) -> VerifiedMessage {
        var values: [DigestAlgorithm: [UInt8]] = [:]
        for (algorithm, digest) in digests { values[algorithm] = try digest.finalize() }
        guard !message.signers.isEmpty else { throw .signatureInvalid }
        do throws(HostCryptoError) {
            var signers: [[UInt8]] = []
            for signer in message.signers {
                guard let certificate = try certificate(of: signer, values[signer.digest] ?? []) else {
                    throw .invalidSignature
                }
                signers.append(certificate)
            }
            return try verified(signers)
        } catch {
            throw CKError(error)
        }
    }

    private func verified(_ signers: [[UInt8]]) throws(HostCryptoError) -> VerifiedMessage {
        let content = message.content ?? []
        guard !policy.checksSignatureOnly else {
            // Only those that the application knows are told, as the vendor does.
            let known = signers.filter { store.trusted.contains($0) || store.certificates.contains($0) }
            return VerifiedMessage(content: content, signers: known, isTrusted: true)
        }
        var trust = store
        if policy.usesInternalCertificates { trust.certificates += message.certificates }
        for signer in signers where try !trust.trusts(signer, at: time) {
            return VerifiedMessage(content: content, signers: signers, isTrusted: false)
        }
        return VerifiedMessage(content: content, signers: signers, isTrusted: true)
    }

    /// The certificate whose key has made a signer's signature.
    private func certificate(
        of signer: SignedData.Signer, _ digest: [UInt8]
    ) throws(HostCryptoError) -> [UInt8]? {
        let known = store.trusted + store.certificates
        for der in (policy.usesInternalCertificates ? message.certificates : []) + known {
            guard let certificate = try? Certificate(der: der.span), certificate.issuer == signer.issuer,
                certificate.serialNumber == signer.serialNumber
            else { continue }
            let info = certificate.subjectPublicKeyInfo
            guard let key = try? PublicKeyInfo(der: info.span) else { continue }
            if try signer.hasSigned(contentDigest: digest, with: key) { return der }
        }
        return nil
    }
}
