import CCryptoki

/// The types of secret keys.
enum SecretKeyType: Sendable, CaseIterable {
    case gost28147, magma, kuznyechik
    /// Two keys in one: that of the code, then that of the cipher (KExp15).
    case magmaTwin, kuznyechikTwin
    case generic

    /// - Returns: nil for a type that this library has no secret keys of.
    init?(_ rawValue: CK_KEY_TYPE) {
        guard let type = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = type
    }

    var rawValue: CK_KEY_TYPE {
        switch self {
        case .gost28147: CKK_GOST28147
        case .magma: CKK_MAGMA
        case .kuznyechik: CKK_KUZNECHIK
        case .magmaTwin: CKK_MAGMA_TWIN_KEY
        case .kuznyechikTwin: CKK_KUZNECHIK_TWIN_KEY
        case .generic: CKK_GENERIC_SECRET
        }
    }

    /// The octets of a key; nil if keys can have any number of them.
    var size: Int? {
        switch self {
        case .gost28147, .magma, .kuznyechik: 32
        case .magmaTwin, .kuznyechikTwin: 64
        case .generic: nil
        }
    }

    /// The octets that a generic secret is made of: 80 to 2048 bits.
    static let genericSizes = 10...256
}
