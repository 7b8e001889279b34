// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import HostCrypto
import Tokens

/// How a key signs, and how a message is hashed before.
public enum SigningAlgorithm: Sendable, Hashable {
    /// GOST R 34.10-2012 with the GOST R 34.11-2012 of the key's size, and for keys of GOST R 34.10-2001 with GOST R
    /// 34.11-94. A signature has 64 or 128 bytes, in the order of PKCS #11 and X.509.
    case gost
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
    case rsaPKCS1(SHA2)
    /// RSASSA-PSS (RFC 8017, 8.1). The mask is by MGF1 with the same hash function, the salt as long as its digest.
    case rsaPSS(SHA2)
    /// ECDSA (FIPS 186-4, 6). A signature is r and s, big-endian, 32 bytes each.
    case ecdsa(SHA2)
}
