// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
import Secrets

extension ECCurve {
    /// A point that was compressed (SEC 1, 2.3.4), uncompressed.
    func uncompressed(_ bytes: [UInt8]) throws(HostCryptoError) -> [UInt8] {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        guard let library = unsafe LibraryContext.context else { throw .libraryFailure }
        let group = try unsafe Handle(EC_GROUP_new_by_curve_name_ex(library, nil, number), free: EC_GROUP_free)
        let point = try unsafe Handle(EC_POINT_new(group.pointer), free: EC_POINT_clear_free)
        try unsafe check(
            EC_POINT_oct2point(group.pointer, point.pointer, bytes, bytes.count, nil), else: .invalidPoint)
        var result = [UInt8](repeating: 0, count: pointSize)
        let written = unsafe EC_POINT_point2oct(
            group.pointer, point.pointer, POINT_CONVERSION_UNCOMPRESSED, &result, result.count, nil)
        guard written == result.count else { throw .libraryFailure }
        return result
    }
}

/// The curves over prime fields of ECDSA and ECDH keys. The cofactor of each is 1.
package enum ECCurve: Sendable, Hashable, CaseIterable {
    /// P-256 (FIPS 186-4, D.1.2.3), which X9.62 names prime256v1.
    case p256
    /// P-192, P-224, P-384 and P-521 (FIPS 186-4, D.1.2.1, D.1.2.2, D.1.2.4 and D.1.2.5).
    case p192, p224, p384, p521
    /// secp256k1 (SEC 2, 2.4.1).
    case secp256k1

    /// The curve with this object identifier, the namedCurve of `CKA_EC_PARAMS`.
    ///
    /// - Parameter oid: The identifier in DER, tag and length included.
    /// - Returns: nil for another curve.
    package init?(oid: [UInt8]) {
        guard let curve = Self.allCases.first(where: { $0.oid == oid }) else { return nil }
        self = curve
    }

    /// The object identifier in DER, tag and length included.
    package var oid: [UInt8] {
        switch self {
        case .p256: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p192: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x01]
        case .p224: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x21]
        case .p384: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
        case .secp256k1: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A]
        }
    }

    /// The number of bytes of a coordinate, of a private key, and of each half of a signature.
    package var coordinateSize: Int {
        switch self {
        case .p256, .secp256k1: 32
        case .p192: 24
        case .p224: 28
        case .p384: 48
        case .p521: 66
        }
    }

    /// The bits of the first byte of a coordinate that can be set.
    var leadingMask: UInt8 { self == .p521 ? 0x01 : 0xFF }

    /// The number of bytes of an uncompressed point.
    package var pointSize: Int { 1 + 2 * coordinateSize }

    /// The number of bytes of a compressed point.
    var compressedSize: Int { 1 + coordinateSize }

    /// The name that libcrypto knows the curve by.
    var name: StaticString {
        switch self {
        case .p256: "prime256v1"
        case .p192: "prime192v1"
        case .p224: "secp224r1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        case .secp256k1: "secp256k1"
        }
    }

    /// The number that libcrypto knows the curve by.
    var number: Int32 {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p192: NID_X9_62_prime192v1
        case .p224: NID_secp224r1
        case .p384: NID_secp384r1
        case .p521: NID_secp521r1
        case .secp256k1: NID_secp256k1
        }
    }
}
