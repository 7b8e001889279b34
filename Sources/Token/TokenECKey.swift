/// One half of a key pair for ECDSA and ECDH on the token.
package struct TokenECKey: RecordedObject, Equatable {
    package var half: TokenKey.Half
    /// The file of its record: what names the key on this token.
    package var file: UInt16
    /// The number of its key file.
    package var number: UInt8
    /// The object identifier of the curve, in DER.
    package var parameters: [UInt8]
    package var label: [UInt8]
    package var id: [UInt8]
    /// X ‖ Y, each number big-endian; nil for a private key, and if the token does not give it back.
    package var point: [UInt8]?
    /// Whether the key was made outside the token.
    package var isImported: Bool
    /// Whether key agreement is allowed.
    package var canDerive = false
    package var annotation = ObjectAnnotation()
    package var isForeign: Bool { false }
}

extension TokenECKey {
    /// One half of a key pair before it has a place on a token.
    package init(
        _ half: TokenKey.Half, _ text: KeyPairTemplate.Half, parameters: [UInt8] = p256, isImported: Bool = false,
        canDerive: Bool = false
    ) {
        self.init(
            half: half, file: 0, number: 0, parameters: parameters, label: text.label, id: text.id, point: nil,
            isImported: isImported, canDerive: canDerive)
    }

    /// P-256, the only curve that a key was seen on (FIPS 186-4, D.1.2.3).
    package static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// secp256k1, which the vendor names, too (SEC 2, 2.4.1).
    package static let secp256k1: [UInt8] = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A]

    /// Whether the driver has a number for the curve with this object identifier.
    package static func knows(_ parameters: [UInt8]) -> Bool { parameterByte(parameters) != nil }

    /// Byte 1 of tag 85 of a key file. That of secp256k1 is this project's choice.
    static func parameterByte(_ parameters: [UInt8]) -> UInt8? {
        switch parameters {
        case p256: 0xE0
        case secp256k1: 0xE1
        default: nil
        }
    }

    /// Bytes of a coordinate.
    static let size = 32

    /// Byte 0 of tag 85 of a key file. The public key's type follows the pattern of the others'.
    static let privateType: UInt8 = 0x63
    static let publicType: UInt8 = 0x73

    /// The numbers of a point or a signature, from the card's order to big-endian, or back.
    static func reversed(_ numbers: [UInt8]) -> [UInt8] {
        numbers.prefix(size).reversed() + numbers.dropFirst(size).reversed()
    }
}
