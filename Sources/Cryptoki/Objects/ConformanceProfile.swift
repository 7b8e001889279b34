// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Token

/// The profiles that the library meets (PKCS #11 Profiles v3.0, 3), as objects that no token keeps (v3.0, 4.12). The last
/// depends on what the token keeps, and is only found while it is met.
enum ConformanceProfile {
    static let all = [
        CKP_BASELINE_PROVIDER, CKP_EXTENDED_PROVIDER, CKP_AUTHENTICATION_TOKEN, CKP_PUBLIC_CERTIFICATES_TOKEN,
    ]

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

extension Slot {
    /// Public Certificates Token where the token does not meet it, or may not: otherwise every program may read its
    /// certificates without a login, and finds the key of each by `CKA_ID`. NSS asks for no PIN to show the certificates of
    /// such a token.
    ///
    /// Reads the certificates that are not read yet.
    func unmetProfile() throws(CKError) -> CK_ULONG? {
        let areShown = try withToken { token throws(TokenError) in token.showsEveryCertificate }
        let isMet = areShown ? try certificatesShareIdentifiers() : false
        return isMet ? nil : CKP_PUBLIC_CERTIFICATES_TOKEN
    }
}
