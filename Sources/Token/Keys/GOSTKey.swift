// SPDX-License-Identifier: Apache-2.0

import APDU
package import GOST

/// A key of GOST R 34.10. The card's numbers are little-endian, as this standard has them in public keys.
package struct GOSTKey: Sendable, Equatable {
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

    init?(_ record: ObjectRecord) {
        guard let curve = record[.gostR3410Parameters].flatMap({ Curve(oid: $0) }) else { return nil }
        self.init(
            curve, gostR3411Parameters: record[.gostR3411Parameters] ?? [],
            gost28147Parameters: record[.gost28147Parameters] ?? [])
    }

    /// OpenSC knows GOST R 34.10-2001 only, and the three sets of CryptoPro by their number.
    init?(_ entry: PKCS15Entry, _ half: TokenKey.Half, publicKey: [UInt8]?) {
        let curves: [Int: Curve] = [1: .cryptoProA, 2: .cryptoProB, 3: .cryptoProC]
        guard entry.tag == 0xA4, let curve = entry.numbers.first.flatMap({ curves[$0] }) else { return nil }
        self.init(curve, gostR3411Parameters: HashAlgorithm.gostR341194.oid)
        guard half == .publicKey else { return }
        var cursor = ByteCursor(publicKey ?? [])
        guard let point = try? cursor.object(0x04, length: 2 * curve.coordinateSize) else { return nil }
        value = point
    }

    mutating func take(_ info: SubjectPublicKeyInfo) {
        if info.key.bytes.count == 2 * curve.coordinateSize { value = info.key.bytes }
    }

    package var files: KeyFiles? {
        guard let parameter = Self.parameterBytes[curve.oid] else { return nil }
        let size = curve.coordinateSize
        return KeyFiles(type: size == 64 ? 0x43 : 0x03, parameter: parameter, privateSize: size, publicSize: 2 * size)
    }

    /// Tokens are known to call CryptoPro's own three sets so, and what follows from them: the test set by the rule of
    /// their numbers, and TC26's sets of 256 bits that are the same curves.
    var isPublished: Bool { files.map { $0.type == 0x03 && (0x10...0x40).contains($0.parameter) } ?? false }

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
