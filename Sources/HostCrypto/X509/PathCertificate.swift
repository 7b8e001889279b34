import COpenSSL
import GOST

/// A certificate, and what the validation of a path asks of it (RFC 5280, 6.1), at one time.
struct PathCertificate {
    let der: [UInt8]
    let fields: Certificate
    /// nil for a key of an algorithm that is not known here.
    let key: PublicKeyInfo?
    /// Whether it is valid at the time.
    let isInTime: Bool
    /// Whether no extension is critical that libcrypto or this validation does not heed.
    let isUnderstood: Bool
    /// Whether it may issue certificates.
    let isAuthority: Bool
    /// How many certificates of further authorities may follow; nil for any number.
    let pathLength: Int?
    /// Whether it may sign lists of revoked certificates.
    let signsLists: Bool
    /// Whether it may sign messages.
    let signsMessages: Bool
    /// The certificate in libcrypto (`X509`).
    let handle: Handle

    /// - Parameters:
    ///   - der: The whole of the certificate in DER, and nothing behind it.
    ///   - time: In seconds since 1970.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    init(der: [UInt8], time: Int) throws(HostCryptoError) {
        self.der = der
        fields = try Certificate(der: der.span)
        let info = fields.subjectPublicKeyInfo
        key = try? PublicKeyInfo(der: info.span)
        let handle = try quietly { () throws(HostCryptoError) in try Certificate.read(der) }
        self.handle = handle
        var now = time_t(time)
        let begins = unsafe X509_cmp_time(X509_get0_notBefore(handle.pointer), &now) < 0
        let ends = unsafe X509_cmp_time(X509_get0_notAfter(handle.pointer), &now) > 0
        isInTime = begins && ends
        let (flags, usage) = try quietly { () throws(HostCryptoError) in
            unsafe (X509_get_extension_flags(handle.pointer), X509_get_key_usage(handle.pointer))
        }
        let unheeded = [NID_name_constraints, NID_policy_constraints, NID_inhibit_any_policy, NID_policy_mappings]
        isUnderstood =
            flags & UInt32(EXFLAG_INVALID | EXFLAG_CRITICAL) == 0
            && unheeded.allSatisfy { unsafe X509_get_ext_by_NID(handle.pointer, $0, -1) < 0 }
        let authority = unsafe X509_check_ca(handle.pointer)
        isAuthority = (authority == 1 || authority == 3) && usage & UInt32(KU_KEY_CERT_SIGN) != 0
        let length = unsafe X509_get_pathlen(handle.pointer)
        pathLength = length < 0 ? nil : Int(length)
        signsLists = usage & UInt32(KU_CRL_SIGN) != 0
        signsMessages = usage & UInt32(KU_DIGITAL_SIGNATURE | KU_NON_REPUDIATION) != 0
    }

    /// Whether issuer and subject are the same.
    var isSelfIssued: Bool { fields.issuer == fields.subject }
}
