// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
import Secrets

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

extension ECPublicKey: Equatable {
    package static func == (left: ECPublicKey, right: ECPublicKey) -> Bool {
        left.curve == right.curve && left.point == right.point
    }
}
