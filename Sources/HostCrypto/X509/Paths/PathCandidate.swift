// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST

/// A certificate that a path may include, with cached findings. Each is computed once, when first needed.
final class PathCandidate {
    let certificate: Certificate
    /// Whether the application knows it, and whether it trusts it.
    let isKnown, isTrusted: Bool
    private let time: Int
    private let purpose: PathPurpose
    private let findings: KnownCertificates
    private let signature: HashedStructure
    private var digests: [DigestAlgorithm: [UInt8]] = [:]

    /// The path from here to a trusted certificate that was found, and the number of authorities and of certificates before
    /// this one then.
    var proof: (authorities: Int, length: Int, links: [PathEvidence.Link])?
    /// The fields that the validation of a path needs; nil if libcrypto cannot read it.
    private(set) lazy var details = try? findings.details(of: certificate)
    /// Whether a path may have it at this time.
    private(set) lazy var isUsable = details.map { $0.isUsable(for: purpose) && $0.isValid(at: time) } == true
    /// The reason why no path may have it at this time; nil if one may.
    var fault: PathFault.Reason? {
        guard !isUsable else { return nil }
        guard let details, details.isUnderstood, let validity = try? certificate.validity else { return .notUnderstood }
        guard details.isUsable(for: purpose) else { return .notForSigning }
        return validity.notAfter <= time ? .expired(validity.notAfter) : .notYetValid(validity.notBefore)
    }
    /// nil for a weak key, and for one of an algorithm that is not known here.
    private(set) lazy var key: PublicKeyInfo? = {
        let info = certificate.subjectPublicKeyInfo
        guard let key = try? PublicKeyInfo(der: info.span), key.isStrong else { return nil }
        return key
    }()

    init(
        _ certificate: Certificate, isKnown: Bool, isTrusted: Bool, time: Int, purpose: PathPurpose,
        findings: KnownCertificates
    ) {
        self.certificate = certificate
        self.isKnown = isKnown
        self.isTrusted = isTrusted
        self.time = time
        self.purpose = purpose
        self.findings = findings
        signature = HashedStructure(certificate.structure)
    }

    /// Whether issuer and subject are the same.
    var isSelfIssued: Bool { certificate.issuer == certificate.subject }

    /// The digest of the whole certificate.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func digest(by algorithm: DigestAlgorithm) throws(HostCryptoError) -> [UInt8] {
        if let known = digests[algorithm] { return known }
        let der = certificate.der
        let digest = try Digest.digest(der.span, algorithm)
        digests[algorithm] = digest
        return digest
    }

    /// Whether it is signed with a key, by a hash function that resists collisions.
    func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool { try signature.isSigned(with: key) }

    /// Whether it is signed with its own key, by any hash function: for a trusted certificate nothing depends on it.
    func signsItself() throws(HostCryptoError) -> Bool {
        guard let key else { return false }
        return try certificate.isSigned(with: key)
    }
}

/// The signed content, hashed once for all keys that it is verified with.
final class HashedStructure {
    private let structure: SignedStructure
    private var digest: [UInt8]?

    init(_ structure: SignedStructure) {
        self.structure = structure
    }

    /// Whether it is signed with a key, by a hash function that resists collisions.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        guard structure.signatureAlgorithm?.digest.resistsCollisions == true else { return false }
        if digest == nil { digest = try structure.digest() }
        return try structure.isSigned(with: key, digest: digest ?? [])
    }
}
