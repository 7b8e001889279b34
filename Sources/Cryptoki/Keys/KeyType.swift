import CCryptoki
import GOST

/// The types of key pairs.
enum KeyType: Sendable, CaseIterable {
    /// GOST R 34.10-2001 and 2012 with 256 bits.
    case gostR3410
    /// GOST R 34.10-2012 with 512 bits.
    case gostR3410With512Bits
    case rsa
    /// ECDSA and ECDH.
    case ec

    /// - Returns: nil for a type that this library has no key pairs of.
    init?(_ rawValue: CK_KEY_TYPE) {
        guard let type = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = type
    }

    init(_ curve: Curve) { self = curve.coordinateSize == 64 ? .gostR3410With512Bits : .gostR3410 }

    var rawValue: CK_KEY_TYPE {
        switch self {
        case .gostR3410: CKK_GOSTR3410
        case .gostR3410With512Bits: CKK_GOSTR3410_512
        case .rsa: CKK_RSA
        case .ec: CKK_EC
        }
    }

    var keyPairGeneration: CK_MECHANISM_TYPE {
        switch self {
        case .gostR3410: CKM_GOSTR3410_KEY_PAIR_GEN
        case .gostR3410With512Bits: CKM_GOSTR3410_512_KEY_PAIR_GEN
        case .rsa: CKM_RSA_PKCS_KEY_PAIR_GEN
        case .ec: CKM_EC_KEY_PAIR_GEN
        }
    }

    /// The sizes of digests that a key signs. A key of ECDSA uses the first bytes.
    var digestSizes: ClosedRange<Int> {
        switch self {
        case .gostR3410: 32...32
        case .gostR3410With512Bits: 64...64
        case .rsa, .ec: 0...Int.max
        }
    }

    /// The attributes of a private key that nobody may read while it is sensitive or cannot be extracted.
    var secretAttributes: [CK_ATTRIBUTE_TYPE] {
        guard self == .rsa else { return [CKA_VALUE] }
        return [
            CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2, CKA_COEFFICIENT,
        ]
    }

    /// The attributes of one half that a mechanism computes, and that no template for it has.
    func materialAttributes(_ objectClass: CK_OBJECT_CLASS) -> [CK_ATTRIBUTE_TYPE] {
        switch (self, objectClass == CKO_PUBLIC_KEY) {
        case (.gostR3410, _), (.gostR3410With512Bits, _), (.ec, false): [CKA_VALUE]
        case (.rsa, true): [CKA_MODULUS]
        case (.rsa, false): [CKA_MODULUS, CKA_PUBLIC_EXPONENT] + secretAttributes
        case (.ec, true): [CKA_EC_POINT]
        }
    }
}
