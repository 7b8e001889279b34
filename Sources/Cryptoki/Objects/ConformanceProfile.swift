// SPDX-License-Identifier: Apache-2.0
import CCryptoki

/// The profiles that the library meets (PKCS #11 Profiles v3.0, 3), as objects that no token keeps (v3.0, 4.12).
///
/// Public Certificates Token is none of them: a certificate can be private here, and a program need not give it the
/// identifier of its key.
enum ConformanceProfile {
    static let all = [CKP_BASELINE_PROVIDER, CKP_EXTENDED_PROVIDER, CKP_AUTHENTICATION_TOKEN]

    static func attributes(_ profile: CK_ULONG) -> Attributes {
        var attributes = Attributes()
        attributes.set(CKA_CLASS, CKO_PROFILE)
        attributes.set(CKA_PROFILE_ID, profile)
        attributes.set(CKA_UNIQUE_ID, UniqueID.derived(from: profile))
        attributes.set(CKA_LABEL, [])
        attributes.set(CKA_TOKEN, true)
        for type in [CKA_PRIVATE, CKA_MODIFIABLE, CKA_COPYABLE, CKA_DESTROYABLE] { attributes.set(type, false) }
        return attributes
    }
}
