// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
package import HostCrypto

/// The types of secret keys.
package enum SecretKeyType: Sendable, Equatable {
    case gost28147, magma, kuznyechik
    /// Two keys in one: the MAC's, then the cipher's (KExp15).
    case magmaTwin, kuznyechikTwin
    case generic
    case aes
    /// Keys of HMAC with one hash function, where these have a type of their own.
    case hmac(DigestAlgorithm)

    package static let all: [SecretKeyType] =
        [.gost28147, .magma, .kuznyechik, .magmaTwin, .kuznyechikTwin, .generic, .aes] + hmacTypes.keys.map(Self.hmac)

    private static let hmacTypes: [DigestAlgorithm: CK_KEY_TYPE] = [
        .sha1: CKK_SHA_1_HMAC, .sha224: CKK_SHA224_HMAC, .sha256: CKK_SHA256_HMAC, .sha384: CKK_SHA384_HMAC,
        .sha512: CKK_SHA512_HMAC,
    ]

    /// - Returns: nil for a type that this library has no secret keys of.
    package init?(_ rawValue: CK_KEY_TYPE) {
        guard let type = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = type
    }

    package var rawValue: CK_KEY_TYPE {
        switch self {
        case .gost28147: CKK_GOST28147
        case .magma: CKK_MAGMA
        case .kuznyechik: CKK_KUZNECHIK
        case .magmaTwin: CKK_MAGMA_TWIN_KEY
        case .kuznyechikTwin: CKK_KUZNECHIK_TWIN_KEY
        case .generic: CKK_GENERIC_SECRET
        case .aes: CKK_AES
        case .hmac(let hash): Self.hmacTypes[hash] ?? CKK_GENERIC_SECRET
        }
    }

    /// The bytes of a key; nil if the type has several lengths.
    package var size: Int? {
        switch self {
        case .gost28147, .magma, .kuznyechik: 32
        case .magmaTwin, .kuznyechikTwin: 64
        case .generic, .aes, .hmac: nil
        }
    }

    /// Whether a key can have so many bytes.
    package func allows(_ count: Int) -> Bool {
        switch self {
        case .generic, .hmac: count > 0
        case .aes: [16, 24, 32].contains(count)
        default: count == size
        }
    }

    /// The bytes that a generic secret can have: 80 to 2048 bits.
    package static let genericSizes = 10...256
}
