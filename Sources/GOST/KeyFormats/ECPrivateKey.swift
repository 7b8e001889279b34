// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A private key of GOST R 34.10 as ECPrivateKey (RFC 5915, 3), which Botan writes into PKCS #8.
///
/// That standard has the number big-endian, GOST's standards little-endian. The public key beside it decides.
enum ECPrivateKey {
    /// The number d, little-endian.
    ///
    /// - Parameter bytes: The contents of PKCS #8's privateKey.
    /// - Throws: ``GOSTError/invalidPoint`` if there is no public key, or another key's; ``GOSTError/invalidEncoding``.
    static func scalar(_ bytes: Span<UInt8>, on curve: Curve) throws(GOSTError) -> Secret {
        var outer = DERReader(bytes)
        var fields = DERReader(try outer.contents(.sequence))
        try outer.end()
        let version = try fields.contents(.integer)
        guard version.count == 1, version[0] == 1 else { throw .invalidEncoding }
        let number = try fields.contents(.octetString)
        if fields.isAt(.context0) { _ = try fields.contents(.context0) }
        guard !fields.isAtEnd else { throw .invalidPoint }
        let point = try point(try fields.contents(.context1), on: curve)
        try fields.end()

        for isBigEndian in [true, false] {
            let scalar = isBigEndian ? reversed(number) : Secret(copying: number)
            guard let candidate = try? PrivateKey(curve: curve, scalar: scalar.copy()) else { continue }
            let publicKey = try candidate.publicKey()
            if publicKey.bytes == point { return scalar }
        }
        throw .invalidPoint
    }

    /// The coordinates of an uncompressed point, each little-endian.
    private static func point(_ field: Span<UInt8>, on curve: Curve) throws(GOSTError) -> [UInt8] {
        var reader = DERReader(field)
        let bits = try reader.contents(.bitString)
        try reader.end()
        let size = curve.coordinateSize
        // The number of unused bits, and the form of the point.
        guard bits.count == 2 + 2 * size, bits[0] == 0, bits[1] == 4 else { throw .invalidPoint }
        let point = [UInt8](copying: bits.extracting(droppingFirst: 2))
        return [UInt8](point[..<size].reversed()) + point[size...].reversed()
    }

    private static func reversed(_ bytes: Span<UInt8>) -> Secret {
        var result = Secret(count: bytes.count)
        var span = result.mutableBytes
        for index in 0..<bytes.count { span[index] = bytes[bytes.count - 1 - index] }
        return result
    }
}
