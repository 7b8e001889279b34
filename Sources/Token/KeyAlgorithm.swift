package import GOST

/// The kinds of GOST key files, with the bytes by which the card knows them.
package struct KeyAlgorithm: Sendable, Equatable {
    package let curve: Curve

    /// Tag 85, byte 0, of the private key; the public key's has bit 4 set.
    let typeByte: UInt8
    /// Tag 85, byte 1: the parameter set.
    let parameterByte: UInt8

    /// - Returns: nil if tokens have no key files for this parameter set.
    package init?(curve: Curve) {
        guard let parameterByte = Self.parameterBytes[curve.oid] else { return nil }
        self.curve = curve
        typeByte = curve.coordinateSize == 64 ? 0x43 : 0x03
        self.parameterByte = parameterByte
    }

    /// Whether tokens are known to call the set so: CryptoPro's own three, and what follows from them, the test set by the
    /// rule of their numbers and TC26's sets of 256 bits that are the same curves.
    var isConfirmed: Bool { typeByte == 0x03 && (0x10...0x40).contains(parameterByte) }

    /// Sizes in bytes of the two key files.
    var privateSize: Int { curve.coordinateSize }
    var publicSize: Int { 2 * curve.coordinateSize }

    /// By object identifier, in DER. Those that are not ``isConfirmed`` are this project's choice, agreed with its emulator;
    /// no published trace shows a token's.
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
