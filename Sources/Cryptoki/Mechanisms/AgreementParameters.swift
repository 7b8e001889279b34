// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
import HostCrypto
import Tokens

/// The parameters of a key agreement: `CK_GOSTR3410_DERIVE_PARAMS`, `CK_ECDH1_DERIVE_PARAMS`, or the same without
/// pointers.
package struct AgreementParameters: Sendable, Equatable {
    /// The derivation from the shared secret (`CKD_`).
    package var derivation: CK_ULONG
    /// The other side's public key.
    package var publicData: [UInt8]
    /// The user keying material.
    package var ukm: [UInt8]

    package init(derivation: CK_ULONG, publicData: [UInt8], ukm: [UInt8]) {
        self.derivation = derivation
        self.publicData = publicData
        self.ukm = ukm
    }

    /// Reads the layouts without pointers: the three numbers in 32 bits, little-endian, as the vendor's C samples have
    /// them, or as `CK_ULONG`, as the vendor's .NET binding has. The lengths distinguish them.
    init?(flat bytes: [UInt8]) {
        guard let parameters = Self(flat: bytes, width: 4) ?? Self(flat: bytes, width: 8) else { return nil }
        self = parameters
    }

    /// Reads the same with fields of fixed length, as older bindings have them: 128 bytes for the public key, which
    /// need not fill them, and 8 for the UKM.
    init?(fixed bytes: [UInt8]) {
        let room = (publicData: 128, ukm: 8)
        guard let parameters = Self(flat: bytes, width: 4, room) ?? Self(flat: bytes, width: 8, room) else {
            return nil
        }
        self = parameters
    }

    /// - Parameter room: The least lengths of the fields.
    private init?(flat bytes: [UInt8], width: Int, _ room: (publicData: Int, ukm: Int) = (0, 0)) {
        var rest = bytes[...]
        func number() -> UInt64? {
            guard rest.count >= width else { return nil }
            let value = rest.prefix(width).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(width)
            return value
        }
        func field(_ room: Int) -> [UInt8]? {
            guard let count = number().flatMap({ Int(exactly: $0) }), max(count, room) <= rest.count else { return nil }
            defer { rest = rest.dropFirst(max(count, room)) }
            return Array(rest.prefix(count))
        }
        guard let derivation = number(), let publicData = field(room.publicData), let ukm = field(room.ukm),
            rest.isEmpty
        else { return nil }
        self.init(derivation: CK_ULONG(derivation), publicData: publicData, ukm: ukm)
    }
}

extension AgreementParameters {
    /// ``derivation`` as the standard numbers it, for agreements of GOST R 34.10. The vendor's bindings for Java have
    /// two numbers of their own. Some programs write an `int` as a `long`, so that the upper half is its sign.
    var function: CK_ULONG {
        let number = derivation >> 31 == 0x1_FFFF_FFFF ? derivation & 0xFFFF_FFFF : derivation
        return switch number {
        case Self.javaNull: CK_ULONG(CKD_NULL)
        case Self.javaDiversify: CK_ULONG(CKD_CPDIVERSIFY_KDF)
        default: number
        }
    }

    private static let (javaNull, javaDiversify): (CK_ULONG, CK_ULONG) = (0x9000_0001, 0x9000_0009)
}
