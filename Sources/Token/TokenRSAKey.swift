/// One half of an RSA key pair on the token.
package struct TokenRSAKey: Sendable, Equatable {
    package var half: TokenKey.Half
    /// The file of its record: what names the key on this token.
    package var file: UInt16
    /// The number of its key file.
    package var number: UInt8
    package var label: [UInt8]
    package var id: [UInt8]
    /// The length of the modulus in bits.
    package var bits: Int
    /// Big-endian, `bits / 8` bytes; nil if the token does not give it back.
    package var modulus: [UInt8]?
    /// Big-endian, without zeros before it; nil if the token does not give it back.
    package var publicExponent: [UInt8]?
    /// Whether the key was made outside the token.
    package var isImported: Bool
    /// Whether OpenSC's format describes it: it can be used, and is deleted by OpenSC only.
    package var isForeign = false
    package var annotation = ObjectAnnotation()
}

extension TokenRSAKey {
    /// One half of a key pair before it has a place on a token, with the only public exponent that tokens make keys with.
    package init(_ half: TokenKey.Half, size: RSAKeySize, _ text: KeyPairTemplate.Half, isImported: Bool = false) {
        self.init(
            half: half, file: 0, number: 0, label: text.label, id: text.id, bits: size.bits, modulus: nil,
            publicExponent: half == .publicKey ? [1, 0, 1] : nil, isImported: isImported)
    }
}

/// What a new RSA key pair shall be. The public exponent is 65537: the token ignores every other.
package struct RSAKeyPairTemplate: Sendable {
    /// The length of the modulus.
    package var size: RSAKeySize
    package var publicKey: KeyPairTemplate.Half
    package var privateKey: KeyPairTemplate.Half

    package init(size: RSAKeySize, publicKey: KeyPairTemplate.Half, privateKey: KeyPairTemplate.Half) {
        self.size = size
        self.publicKey = publicKey
        self.privateKey = privateKey
    }
}

/// A length of RSA keys that tokens have files for.
package struct RSAKeySize: Sendable, Equatable {
    package let bits: Int

    /// - Returns: nil unless there are 512 to 4096 bits, in steps of 256.
    package init?(bits: Int) {
        guard (512...4096).contains(bits), bits.isMultiple(of: 256) else { return nil }
        self.bits = bits
    }

    /// - Returns: nil if no private key file has this size.
    package init?(privateSize: Int) { self.init(bits: (privateSize - 8) / 5 * 16) }

    /// - Returns: nil if no public key file has this size.
    package init?(publicSize: Int) { self.init(bits: publicSize / 3 * 16) }

    /// Bytes of the modulus, and of each block.
    var blockSize: Int { bits / 8 }
    /// Sizes in bytes of the two key files: five numbers of half the modulus' length and two pauses of four bytes; the
    /// modulus, and the exponent in half its length.
    package var privateSize: Int { 5 * blockSize / 2 + 8 }
    package var publicSize: Int { 3 * blockSize / 2 }

    /// Tag 85 of a key file, byte 0.
    static let privateType: UInt8 = 0x23
    static let publicType: UInt8 = 0x33
}

/// The numbers of a public RSA key, as a card keeps them: little-endian, one after the other.
package struct RSAPublicValue: Equatable {
    /// Big-endian.
    var modulus: [UInt8]
    var exponent: [UInt8]

    package init(modulus: [UInt8], exponent: [UInt8]) {
        self.modulus = modulus
        self.exponent = exponent
    }

    /// - Returns: nil if these are not as many bytes as `size` prescribes, or no modulus of that length.
    package init?(parsing bytes: [UInt8], size: RSAKeySize) {
        guard bytes.count == size.publicSize else { return nil }
        modulus = bytes.prefix(size.blockSize).reversed()
        exponent = Array(bytes.dropFirst(size.blockSize).reversed().drop { $0 == 0 })
        guard modulus.first.map({ $0 & 0x80 != 0 }) == true, !exponent.isEmpty else { return nil }
    }

    /// - Parameter size: The length of the modulus.
    package func encoded(_ size: RSAKeySize) -> [UInt8] {
        let exponent = Array(exponent.reversed().prefix(size.blockSize / 2))
        let rest = [UInt8](repeating: 0, count: size.blockSize / 2 - exponent.count)
        return modulus.reversed() + exponent + rest
    }
}
