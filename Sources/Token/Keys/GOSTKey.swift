// SPDX-License-Identifier: Apache-2.0

import APDU
package import GOST
package import HostCrypto
package import Secrets

/// A key of GOST R 34.10. The card's numbers are little-endian, as this standard has them in public keys.
package struct GOSTKey: CardKey {
    package var curve: Curve
    /// Object identifiers of the parameter sets, in DER; empty where the record has none.
    package var gostR3411Parameters: [UInt8]
    package var gost28147Parameters: [UInt8]
    /// The public key X ‖ Y, little-endian; nil for a private key.
    package var value: [UInt8]?

    package init(_ curve: Curve, gostR3411Parameters: [UInt8] = [], gost28147Parameters: [UInt8] = []) {
        self.curve = curve
        self.gostR3411Parameters = gostR3411Parameters
        self.gost28147Parameters = gost28147Parameters
    }

    package init?(_ record: ObjectRecord, _ template: FileTemplate) {
        guard let curve = record[.gostR3410Parameters].flatMap({ Curve(oid: $0) }) else { return nil }
        self.init(
            curve, gostR3411Parameters: record[.gostR3411Parameters] ?? [],
            gost28147Parameters: record[.gost28147Parameters] ?? [])
    }

    /// OpenSC knows GOST R 34.10-2001 only, and the three sets of CryptoPro by their number.
    package init?(_ entry: PKCS15Entry, _ half: TokenKey.Half, publicKey: [UInt8]?) {
        let curves: [Int: Curve] = [1: .cryptoProA, 2: .cryptoProB, 3: .cryptoProC]
        guard entry.tag == 0xA4, let curve = entry.numbers.first.flatMap({ curves[$0] }) else { return nil }
        self.init(curve, gostR3411Parameters: HashAlgorithm.gostR341194.oid)
        guard half == .publicKey else { return }
        var cursor = ByteCursor(publicKey ?? [])
        guard let point = try? cursor.object(0x04, length: 2 * curve.coordinateSize) else { return nil }
        value = point
    }

    package func lacksValue(_ half: TokenKey.Half) -> Bool { half == .publicKey && value == nil }
    package mutating func take(_ value: [UInt8], _ half: TokenKey.Half) {
        if half == .publicKey { self.value = value }
    }
    package mutating func take(_ info: PublicKeyInfo) {
        if case .gost(let info) = info, info.key.bytes.count == 2 * curve.coordinateSize { value = info.key.bytes }
    }

    package func items(label: [UInt8], id: [UInt8]) -> [(ObjectRecord.Item, [UInt8])] {
        [
            (.label, label), (.id, id), (.gostR3410Parameters, curve.oid),
            (.gostR3411Parameters, gostR3411Parameters), (.gost28147Parameters, gost28147Parameters),
        ]
    }

    package var files: KeyFiles? {
        guard let parameter = Self.parameterBytes[curve.oid] else { return nil }
        let size = curve.coordinateSize
        return KeyFiles(type: size == 64 ? 0x43 : 0x03, parameter: parameter, privateSize: size, publicSize: 2 * size)
    }

    /// Tokens are known to call CryptoPro's own three sets so, and what follows from them: the test set by the rule of
    /// their numbers, and TC26's sets of 256 bits that are the same curves.
    package var isPublished: Bool { files.map { $0.type == 0x03 && (0x10...0x40).contains($0.parameter) } ?? false }

    package func digest(_ digest: [UInt8]) -> [UInt8]? { digest }
    package var signatureSize: Int { 2 * curve.coordinateSize }
    /// r ‖ s reversed as a whole is s ‖ r in the standard's order.
    package static func signature(_ answer: [UInt8]) -> [UInt8] { answer.reversed() }
    package func agreement(with peer: [UInt8], ukm: [UInt8]) -> [UInt8]? {
        .object(0x85, peer) + .object(0x94, ukm)
    }
    package func agreedSize(_ hash: HashAlgorithm?) -> Int { hash?.digestSize ?? 0 }

    /// By object identifier, in DER. Those that are not ``isPublished`` are this project's choice, agreed with its
    /// emulator; no published trace shows a token's.
    private static let parameterBytes: [[UInt8]: UInt8] = [
        cryptoPro(0x23, 0x00): 0x10,
        cryptoPro(0x23, 0x01): 0x20,
        cryptoPro(0x23, 0x02): 0x30,
        cryptoPro(0x23, 0x03): 0x40,
        cryptoPro(0x24, 0x00): 0x60,
        cryptoPro(0x24, 0x01): 0x70,
        tc26(0x01, 0x01): 0x50,
        tc26(0x01, 0x02): 0x20,
        tc26(0x01, 0x03): 0x30,
        tc26(0x01, 0x04): 0x40,
        tc26(0x02, 0x01): 0x20,
        tc26(0x02, 0x02): 0x30,
        tc26(0x02, 0x03): 0x40,
    ]

    private static func cryptoPro(_ arcs: UInt8...) -> [UInt8] { [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02] + arcs }
    private static func tc26(_ arcs: UInt8...) -> [UInt8] {
        [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01] + arcs
    }
}

/// A key of ECDSA and ECDH. The card's numbers are little-endian. The commands for such keys are not published, so that
/// they go only to tokens that are known to take them: this project's.
package struct ECKey: CardKey {
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
