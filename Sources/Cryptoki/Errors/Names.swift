// SPDX-License-Identifier: Apache-2.0
import CCryptoki

/// The names that the standard and the vendor's header have for numbers, for the log; nil for a number without a
/// meaning here.
enum Names {
    /// The name of a class of objects.
    static func objectClass(_ number: CK_ULONG) -> StaticString? {
        switch number {
        case CKO_DATA: "CKO_DATA"
        case CKO_CERTIFICATE: "CKO_CERTIFICATE"
        case CKO_PUBLIC_KEY: "CKO_PUBLIC_KEY"
        case CKO_PRIVATE_KEY: "CKO_PRIVATE_KEY"
        case CKO_SECRET_KEY: "CKO_SECRET_KEY"
        case CKO_HW_FEATURE: "CKO_HW_FEATURE"
        case CKO_DOMAIN_PARAMETERS: "CKO_DOMAIN_PARAMETERS"
        case CKO_MECHANISM: "CKO_MECHANISM"
        case CKO_OTP_KEY: "CKO_OTP_KEY"
        case CKO_PROFILE: "CKO_PROFILE"
        case CKO_VENDOR_AUTHENTICATION_FACTOR: "CKO_VENDOR_AUTHENTICATION_FACTOR"
        default: nil
        }
    }

    /// The name of a key's type.
    static func keyType(_ number: CK_ULONG) -> StaticString? {
        switch number {
        case CKK_RSA: "CKK_RSA"
        case CKK_DSA: "CKK_DSA"
        case CKK_DH: "CKK_DH"
        case CKK_EC: "CKK_EC"
        case CKK_GENERIC_SECRET: "CKK_GENERIC_SECRET"
        case CKK_DES: "CKK_DES"
        case CKK_DES2: "CKK_DES2"
        case CKK_DES3: "CKK_DES3"
        case CKK_AES: "CKK_AES"
        case CKK_GOSTR3410: "CKK_GOSTR3410"
        case CKK_GOSTR3411: "CKK_GOSTR3411"
        case CKK_GOST28147: "CKK_GOST28147"
        case CKK_EC_EDWARDS: "CKK_EC_EDWARDS"
        case CKK_GOST: "CKK_GOST"
        case CKK_GOSTR3410_512: "CKK_GOSTR3410_512"
        case CKK_KUZNECHIK: "CKK_KUZNECHIK"
        case CKK_MAGMA: "CKK_MAGMA"
        case CKK_KUZNECHIK_TWIN_KEY: "CKK_KUZNECHIK_TWIN_KEY"
        case CKK_MAGMA_TWIN_KEY: "CKK_MAGMA_TWIN_KEY"
        default: nil
        }
    }
}
