// SPDX-License-Identifier: Apache-2.0

import HostCrypto

/// A key of ECDSA and ECDH. The card's numbers are little-endian. The commands for such keys are not published, so that
/// they go only to tokens that are known to take them: this project's.
package struct ECKey: Sendable, Equatable {
    /// The object identifier of the curve, in DER.
    package var parameters: [UInt8]
    /// X ‖ Y, each number big-endian; nil for a private key, and if the token does not give it back.
    package var point: [UInt8]?

    package init(_ parameters: [UInt8]) { self.parameters = parameters }

    init?(_ record: ObjectRecord, _ template: FileTemplate) {
        guard let parameters = record[.ecParameters], template.properties.count > 2,
            template.properties[0] & ~0x10 == Self.type
        else { return nil }
        self.init(parameters)
    }

    /// Bytes of a coordinate on the curves of `parameterBytes`.
    static let size = 32
    private static let type: UInt8 = 0x63

    /// Byte 1 of tag 85 of a key file, by object identifier. P-256 is the only curve that a key was seen on
    /// (FIPS 186-4, D.1.2.3). The vendor names secp256k1, too (SEC 2, 2.4.1), whose number is this project's choice.
    private static let parameterBytes: [[UInt8]: UInt8] = [ECCurve.p256.oid: 0xE0, ECCurve.secp256k1.oid: 0xE1]

    package var value: [UInt8]? { point.map(Self.swapped) }
    mutating func take(_ value: [UInt8]) {
        if value.count == 2 * Self.size { point = Self.swapped(value) }
    }

    package var files: KeyFiles? {
        Self.parameterBytes[parameters].map {
            KeyFiles(type: Self.type, parameter: $0, privateSize: Self.size, publicSize: 2 * Self.size, padding: 4)
        }
    }

    /// A digest of any length, truncated to a number's bytes.
    func digest(_ digest: [UInt8]) -> [UInt8] {
        digest.prefix(Self.size).reversed() + [UInt8](repeating: 0, count: max(0, Self.size - digest.count))
    }

    /// The two numbers of a point or a signature, from the card's order to big-endian, or back.
    static func swapped(_ numbers: [UInt8]) -> [UInt8] {
        [UInt8](numbers.prefix(size).reversed()) + [UInt8](numbers.dropFirst(size).reversed())
    }
}
