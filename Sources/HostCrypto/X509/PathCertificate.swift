// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST

/// A certificate, and its properties for the validation of a path (RFC 5280, 6.1), at one time.
struct PathCertificate {
    /// Whether it is valid at the time, no extension is critical that libcrypto or this validation does not heed, and
    /// the purposes of its key let it have to do with messages.
    let isUsable: Bool
    /// Whether it says that it may issue certificates.
    let isAuthority: Bool
    /// Whether it is of version 1, which cannot say so.
    let isVersion1: Bool
    /// The number of certificates of further authorities that may follow; nil for any number.
    let pathLength: Int?
    /// Whether it may sign lists of revoked certificates.
    let signsLists: Bool
    /// Whether it may sign messages.
    let signsMessages: Bool
    /// The certificate in libcrypto (`X509`).
    let handle: Handle

    /// - Parameter time: In seconds since 1970.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    init(_ certificate: Certificate, time: Int) throws(HostCryptoError) {
        let handle = try quietly { () throws(HostCryptoError) in try Certificate.read(certificate.der) }
        self.handle = handle
        let now = time_t(time)
        let begins = unsafe COpenSSL_compare_time(X509_get0_notBefore(handle.pointer), now) < 0
        let ends = unsafe COpenSSL_compare_time(X509_get0_notAfter(handle.pointer), now) > 0
        let (flags, usage) = try quietly { () throws(HostCryptoError) in
            unsafe (X509_get_extension_flags(handle.pointer), X509_get_key_usage(handle.pointer))
        }
        let unheeded = [
            NID_name_constraints, NID_policy_constraints, NID_inhibit_any_policy, NID_policy_mappings,
            NID_sbgp_ipAddrBlock, NID_sbgp_autonomousSysNum,
        ]
        let isUnderstood =
            flags & UInt32(EXFLAG_INVALID | EXFLAG_CRITICAL | EXFLAG_PROXY) == 0
            && unheeded.allSatisfy { unsafe X509_get_ext_by_NID(handle.pointer, $0, -1) < 0 }
        let allowsMessages = (try? certificate.allowsMessages) == true
        isUsable = begins && ends && isUnderstood && allowsMessages
        let certifies = usage & UInt32(KU_KEY_CERT_SIGN) != 0
        isAuthority = unsafe certifies && X509_check_ca(handle.pointer) == 1
        isVersion1 = certifies && flags & UInt32(EXFLAG_V1) != 0 && certificate.extensions.isEmpty
        let length = unsafe X509_get_pathlen(handle.pointer)
        pathLength = length < 0 ? nil : Int(length)
        signsLists = usage & UInt32(KU_CRL_SIGN) != 0
        signsMessages = usage & UInt32(KU_DIGITAL_SIGNATURE | KU_NON_REPUDIATION) != 0
    }
}
