// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
package import Secrets

/// A public key of ECDSA and ECDH: a point of a curve.
package struct ECPublicKey: Sendable {
    package let curve: ECCurve
    /// 04 ‖ X ‖ Y, the coordinates most significant byte first (SEC 1, 2.3.3).
    package let point: [UInt8]
    let key: Key

    /// Reads and checks a key.
    ///
    /// - Parameter point: An uncompressed point.
    /// - Throws: ``HostCryptoError/invalidPoint``; ``HostCryptoError/libraryFailure``.
    package init(curve: ECCurve, point: [UInt8]) throws(HostCryptoError) {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        guard point.count == curve.pointSize, point.first == 4 else { throw .invalidPoint }
        let parameters = try Self.parameters(curve, point)
        key = try Key(.ec, .publicKey, from: parameters, else: .invalidPoint)
        self.curve = curve
        self.point = point
    }

    /// Reads and checks a key whose point is bare or in an OCTET STRING. The length distinguishes them: `CKA_EC_POINT`
    /// is the second (PKCS #11 v2.40, 2.3.3), the public data of `C_DeriveKey` can be either.
    ///
    /// - Throws: ``HostCryptoError/invalidPoint``; ``HostCryptoError/libraryFailure``.
    package init(curve: ECCurve, bareOrDER bytes: [UInt8]) throws(HostCryptoError) {
        let header = DERTag.octetString.header(count: curve.pointSize)
        let isDER = bytes.count == header.count + curve.pointSize && bytes.starts(with: header)
        try self.init(curve: curve, point: isDER ? Array(bytes.dropFirst(header.count)) : bytes)
    }

    /// Reads and checks a key whose point is bare or in an OCTET STRING, compressed or not, as the public data of
    /// `C_DeriveKey` may be. The length distinguishes them.
    ///
    /// - Throws: ``HostCryptoError/invalidPoint``; ``HostCryptoError/libraryFailure``.
    package init(curve: ECCurve, anyForm bytes: [UInt8]) throws(HostCryptoError) {
        let header = DERTag.octetString.header(count: curve.compressedSize)
        let isDER = bytes.count == header.count + curve.compressedSize && bytes.starts(with: header)
        let bare = isDER ? Array(bytes.dropFirst(header.count)) : bytes
        guard bare.count == curve.compressedSize else {
            try self.init(curve: curve, bareOrDER: bytes)
            return
        }
        let point = try curve.uncompressed(bare)
        try self.init(curve: curve, point: point)
    }

    /// The point in an OCTET STRING in DER, as `CKA_EC_POINT` has it.
    package var octetString: [UInt8] { DERTag.octetString.element(point) }

    static func parameters(_ curve: ECCurve, _ point: [UInt8]) throws(HostCryptoError) -> Parameters {
        var parameters = try Parameters()
        try parameters.add("group", text: curve.name)
        try parameters.add("pub", bytes: point)
        return parameters
    }

    /// Verifies a signature of ECDSA (FIPS 186-4, 6.4).
    ///
    /// - Parameters:
    ///   - signature: r ‖ s, most significant byte first, each ``ECCurve/coordinateSize`` bytes or both as many fewer
    ///     (PKCS #11 v2.40, 2.3.1).
    ///   - digest: Of any length; of more bytes than a coordinate has, the first count.
    /// - Throws: ``HostCryptoError/invalidSignatureLength``; ``HostCryptoError/libraryFailure``.
    package func isValidSignature(
        _ signature: Span<UInt8>, of digest: Span<UInt8>
    ) throws(HostCryptoError) -> Bool {
        let half = signature.count / 2
        guard half > 0, half <= curve.coordinateSize, signature.count == 2 * half else {
            throw .invalidSignatureLength
        }
        let numbers =
            DERTag.unsignedInteger([UInt8](copying: signature.extracting(first: half)))
            + DERTag.unsignedInteger([UInt8](copying: signature.extracting(last: half)))
        let (der, digest) = (DERTag.sequence.element(numbers), [UInt8](copying: digest))
        return try quietly { () throws(HostCryptoError) in
            let context = try KeyContext(key)
            try unsafe check(EVP_PKEY_verify_init(context.pointer))
            return unsafe EVP_PKEY_verify(context.pointer, der, der.count, digest, digest.count) == 1
        }
    }
}

extension ECCurve {
    /// A point that was compressed (SEC 1, 2.3.4), uncompressed.
    fileprivate func uncompressed(_ bytes: [UInt8]) throws(HostCryptoError) -> [UInt8] {
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

extension ECPublicKey: Equatable {
    package static func == (left: ECPublicKey, right: ECPublicKey) -> Bool {
        left.curve == right.curve && left.point == right.point
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

/// The key derivation function of ANSI X9.63 (SEC 1, 3.6.1), which PKCS #11 names after the hash function:
/// `CKD_SHA1_KDF` and its like.
package enum X963KDF {
    /// `count` bytes of Hash(Z ‖ 1 ‖ info) ‖ Hash(Z ‖ 2 ‖ info) ‖ …, the counter being of 32 bits.
    ///
    /// - Throws: ``HostCryptoError/invalidParameter`` for more than 2¹⁶ blocks, which no protocol needs;
    ///   ``HostCryptoError/libraryFailure``.
    ///
    /// Constant time in its secret inputs, the shared secret.
    package static func derive(
        from sharedSecret: borrowing Secret, info: [UInt8], count: Int, _ algorithm: DigestAlgorithm
    ) throws(HostCryptoError) -> Secret {
        guard (0...(algorithm.size << 16)).contains(count) else { throw .invalidParameter }
        var key = Secret(count: 0)
        for counter in stride(from: 1 as UInt32, through: .max, by: 1) {
            guard key.count < count else { break }
            let block = try block(counter, sharedSecret, info, algorithm)
            key = key.appending(block.bytes)
        }
        return key.extracting(0..<count)
    }

    private static func block(
        _ counter: UInt32, _ sharedSecret: borrowing Secret, _ info: [UInt8], _ algorithm: DigestAlgorithm
    ) throws(HostCryptoError) -> Secret {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
        var digest = try Digest(algorithm)
        digest.update(sharedSecret.bytes)
        digest.update(bytes.span)
        digest.update(info.span)
        return try digest.finalize()
    }
}
