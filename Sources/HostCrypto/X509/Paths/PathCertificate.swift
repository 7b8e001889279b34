// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST

/// A certificate, and its properties for the validation of a path (RFC 5280, 6.1).
struct PathCertificate: Sendable {
    /// Whether no extension is critical that libcrypto or this validation does not heed.
    let isUnderstood: Bool
    /// Whether the purposes of its key let it have to do with messages, or with time stamps.
    private let allowsMessages, allowsTimeStamps: Bool
    /// Whether time stamps are the only purpose of its key.
    private let isForTimeStamps: Bool
    /// Whether it states that it may issue certificates.
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
