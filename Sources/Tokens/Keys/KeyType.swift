// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
package import GOST

/// The types of key pairs.
package enum KeyType: Sendable, CaseIterable {
    /// GOST R 34.10-2001 and 2012 with 256 bits.
    case gostR3410
    /// GOST R 34.10-2012 with 512 bits.
    case gostR3410With512Bits
    case rsa
    /// ECDSA and ECDH.
    case ec

    /// - Returns: nil for a type that this library has no key pairs of.
    package init?(_ rawValue: CK_KEY_TYPE) {
        guard let type = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = type
    }

    package init(_ curve: Curve) { self = curve.coordinateSize == 64 ? .gostR3410With512Bits : .gostR3410 }

    /// The type's number in PKCS #11.
    package var rawValue: CK_KEY_TYPE {
        switch self {
        case .gostR3410: CKK_GOSTR3410
        case .gostR3410With512Bits: CKK_GOSTR3410_512
        case .rsa: CKK_RSA
        case .ec: CKK_EC
        }
    }
}
