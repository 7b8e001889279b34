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

/// A certificate, and its properties for the validation of a path (RFC 5280, 6.1).
struct PathCertificate: Sendable {
    /// Whether no extension is critical that libcrypto or this validation does not heed.
    let isUnderstood: Bool
    /// Whether the purposes of its key let it have to do with messages, or with time stamps.
    private let allowsMessages, allowsTimeStamps: Bool
    /// Whether time stamps are the only purpose of its key.
    private let isForTimeStamps: Bool
    /// Whether it says that it may issue certificates.
    let isAuthority: Bool
    /// Whether it is of version 1, which cannot say so.
    let isVersion1: Bool
    /// The number of certificates of further authorities that may follow; nil for any number.
    let pathLength: Int?
    /// Whether it may sign lists of revoked certificates.
    let signsLists: Bool
    /// Whether its key may sign what is neither a certificate nor a list.
    private let signs: Bool
    /// The certificate in libcrypto (`X509`).
    let handle: Handle

    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    init(_ certificate: Certificate) throws(HostCryptoError) {
        let handle = try quietly { () throws(HostCryptoError) in try Certificate.read(certificate.der) }
        self.handle = handle
        let (flags, usage) = try quietly { () throws(HostCryptoError) in
            unsafe (X509_get_extension_flags(handle.pointer), X509_get_key_usage(handle.pointer))
        }
        let unheeded = [
            NID_name_constraints, NID_policy_constraints, NID_inhibit_any_policy, NID_policy_mappings,
            NID_sbgp_ipAddrBlock, NID_sbgp_autonomousSysNum,
        ]
        isUnderstood =
            flags & UInt32(EXFLAG_INVALID | EXFLAG_CRITICAL | EXFLAG_PROXY) == 0
            && unheeded.allSatisfy { unsafe X509_get_ext_by_NID(handle.pointer, $0, -1) < 0 }
        allowsMessages = (try? certificate.allowsMessages) == true
        allowsTimeStamps = (try? certificate.allowsTimeStamps) == true
        isForTimeStamps = (try? certificate.isForTimeStamps) == true
        let certifies = usage & UInt32(KU_KEY_CERT_SIGN) != 0
        isAuthority = unsafe certifies && X509_check_ca(handle.pointer) == 1
        isVersion1 = certifies && flags & UInt32(EXFLAG_V1) != 0 && certificate.extensions.isEmpty
        let length = unsafe X509_get_pathlen(handle.pointer)
        pathLength = length < 0 ? nil : Int(length)
        signsLists = usage & UInt32(KU_CRL_SIGN) != 0
        signs = usage & UInt32(KU_DIGITAL_SIGNATURE | KU_NON_REPUDIATION) != 0
    }

    /// Whether it is understood, and a path of this purpose may have it.
    func isUsable(for purpose: PathPurpose) -> Bool {
        switch purpose {
        case .messages: isUnderstood && allowsMessages
        case .timeStamps: isUnderstood && allowsTimeStamps
        }
    }

    /// Whether a path of this purpose may begin with it.
    func begins(_ purpose: PathPurpose) -> Bool {
        switch purpose {
        case .messages: signs
        case .timeStamps: signs && isForTimeStamps
        }
    }

    /// - Parameter time: In seconds since 1970.
    func isValid(at time: Int) -> Bool {
        let time = time_t(time)
        return unsafe COpenSSL_compare_time(X509_get0_notBefore(handle.pointer), time) < 0
            && COpenSSL_compare_time(X509_get0_notAfter(handle.pointer), time) > 0
    }
}
