// SPDX-License-Identifier: Apache-2.0
import APDU
package import GOST
package import HostCrypto
package import Secrets

/// A key of ECDSA and ECDH. The card's numbers are little-endian. The commands for such keys are not published, so that
/// they go only to tokens that are known to take them: this project's.
package struct ECKey: KeyKind {
    /// The object identifier of the curve, in DER.
    package var parameters: [UInt8]
    /// X ‖ Y, each number big-endian; nil for a private key, and if the token does not give it back.
    package var point: [UInt8]?

    package init(_ parameters: [UInt8]) { self.parameters = parameters }

    package init?(_ record: ObjectRecord, _ template: FileTemplate) {
        guard let parameters = record[.ecParameters], template.properties.count > 2,
            template.properties[0] & ~0x10 == Self.type
        else { return nil }
        self.init(parameters)
    }

    /// Bytes of a coordinate on the curves that ``parameterBytes`` has.
    private static let size = 32
    private static let type: UInt8 = 0x63

    /// Byte 1 of tag 85 of a key file, by object identifier. P-256 is the only curve that a key was seen on
    /// (FIPS 186-4, D.1.2.3). The vendor names secp256k1, too (SEC 2, 2.4.1), whose number is this project's choice.
    private static let parameterBytes: [[UInt8]: UInt8] = [ECCurve.p256.oid: 0xE0, ECCurve.secp256k1.oid: 0xE1]

    package var value: [UInt8]? { point.map(Self.swapped) }
    package func lacksValue(_ half: TokenKey.Half) -> Bool { half == .publicKey && point == nil }
    package static var hasReadableFile: Bool { false }
    package mutating func take(_ value: [UInt8], _ half: TokenKey.Half) {
        if half == .publicKey, value.count == 2 * Self.size { point = Self.swapped(value) }
    }
    package mutating func take(_ info: PublicKeyInfo) {
        if case .ec(let key) = info, key.curve.oid == parameters { point = Array(key.point.dropFirst()) }
    }

    package func items(label: [UInt8], id: [UInt8]) -> [(ObjectRecord.Item, [UInt8])] {
        [(.ecParameters, parameters), (.label, label), (.id, id)]
    }

    package var files: KeyFiles? {
        Self.parameterBytes[parameters].map {
            KeyFiles(type: Self.type, parameter: $0, privateSize: Self.size, publicSize: 2 * Self.size, padding: 4)
        }
    }
    package var isPublished: Bool { false }
    package static var isUsePublished: Bool { false }

    package static func imported(_ value: borrowing Secret) -> Secret { value.reversed() }
    /// A digest of any length, truncated to a number's bytes.
    package func digest(_ digest: [UInt8]) -> [UInt8]? {
        digest.prefix(Self.size).reversed() + [UInt8](repeating: 0, count: max(0, Self.size - digest.count))
    }
    package var signatureSize: Int { 2 * Self.size }
    package static func signature(_ answer: [UInt8]) -> [UInt8] { swapped(answer) }
    package func agreement(with peer: [UInt8], ukm: [UInt8]) -> [UInt8]? { .object(0x85, Self.swapped(peer)) }
    package func agreedSize(_ hash: HashAlgorithm?) -> Int { Self.size }
    package static func agreed(_ answer: borrowing Secret) -> Secret { answer.reversed() }

    /// The two numbers of a point or a signature, from the card's order to big-endian, or back.
    private static func swapped(_ numbers: [UInt8]) -> [UInt8] {
        [UInt8](numbers.prefix(size).reversed()) + [UInt8](numbers.dropFirst(size).reversed())
    }
}
