// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import HostCrypto
import Tokens

/// A hash function of the family SHA-2 (FIPS 180-4).
public enum SHA2: Sendable, Hashable, CaseIterable {
    /// 32 bytes.
    case sha256
    /// 48 bytes.
    case sha384
    /// 64 bytes.
    case sha512

    /// The bytes of a digest.
    public var digestSize: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

extension SHA2 {
    var pss: RSASignatureScheme { .pss(hash: algorithm, mask: algorithm, saltLength: digestSize) }

    /// The numbers of mechanisms with the function in PKCS #11.
    var mechanisms: (pkcs1: CK_MECHANISM_TYPE, pss: CK_MECHANISM_TYPE, ecdsa: CK_MECHANISM_TYPE) {
        switch self {
        case .sha256: (CKM_SHA256_RSA_PKCS, CKM_SHA256_RSA_PKCS_PSS, CKM_ECDSA_SHA256)
        case .sha384: (CKM_SHA384_RSA_PKCS, CKM_SHA384_RSA_PKCS_PSS, CKM_ECDSA_SHA384)
        case .sha512: (CKM_SHA512_RSA_PKCS, CKM_SHA512_RSA_PKCS_PSS, CKM_ECDSA_SHA512)
        }
    }
}
