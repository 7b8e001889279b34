// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
package import Secrets
import TokenEnd

/// A PIN or a key: six bytes of properties and, once it is set, the value.
package struct RightsFile: Sendable {
    package let type: RightsFileType
    /// The bytes of tag 85.
    package private(set) var properties: [UInt8]
    /// The PIN; a secret key; the private scalar or the public point X ‖ Y; the RSA key in the form of ``RSAKey`` or n ‖ e.
    /// Numbers are little-endian. Nil until it is set.
    package var value: SharedSecret?

    /// Nil unless the properties are six bytes that make sense for their type.
    package init?(properties: [UInt8], value: SharedSecret? = nil) {
        guard properties.count == 6, let type = RightsFileType(rawValue: properties[0]) else { return nil }
        self.type = type
        self.properties = properties
        self.value = value
        guard !type.isPIN || maximumTries >= max(1, triesLeft) else { return nil }
    }

    /// The least length of a PIN, and the byte of the properties that has the parameter set of a key.
    var minimumLength: Int { Int(properties[1]) }
    var parameterSet: UInt8 { properties[1] }

    var flags: UInt8 {
        get { properties[2] }
        set { properties[2] = newValue }
    }

    /// Whether a file of `size` bytes can hold such a PIN or key.
    func fits(_ size: Int) -> Bool {
        switch type {
        case .globalPIN, .localPIN: (0...249).contains(size)
        case .gost28147, .kuznyechik: size == 32
        case .aes: [16, 24, 32].contains(size)
        case .tripleDES: [16, 24].contains(size)
        default: algorithm(size: size) != nil
        }
    }

    var maximumTries: Int { Int(properties[3] >> 4) }

    var triesLeft: Int {
        get { Int(properties[3] & 0x0F) }
        set { properties[3] = properties[3] & 0xF0 | UInt8(clamping: newValue) & 0x0F }
    }
}

/// The algorithm of a key.
enum KeyAlgorithm: Equatable {
    case gost(Curve)
    /// The length of the modulus.
    case rsa(bits: Int)
    case ec(ECKey.Curve)

    /// Bytes of a hash to be signed; for RSA, of a padded block.
    var blockSize: Int {
        switch self {
        case .gost(let curve): curve.coordinateSize
        case .rsa(let bits): bits / 8
        case .ec: ECKey.size
        }
    }
}

extension RightsFile {
    /// The algorithm of a key pair's half in a file of `size` bytes; nil for anything else, and for parameter sets and
    /// sizes that the card does not know.
    func algorithm(size: Int) -> KeyAlgorithm? {
        switch (type, parameterSet) {
        case (.gostPrivate, _), (.gostPublic, _), (.gost512Private, _), (.gost512Public, _):
            guard let curve, size == curve.coordinateSize * (type.isPublicKey ? 2 : 1) else { return nil }
            return .gost(curve)
        case (.rsaPrivate, 0x00), (.rsaPrivate, RightsFile.thoroughPrimes):
            return RightsFile.rsa(half: RSAKey.half(ofValue: size), fits: { 5 * $0 + 8 == size })
        case (.rsaPublic, 0x00), (.rsaPublic, RightsFile.thoroughPrimes):
            return RightsFile.rsa(half: size / 3, fits: { 3 * $0 == size })
        case (.ecPrivate, 0xE0) where size == ECKey.size + 4, (.ecPublic, 0xE0) where size == 2 * ECKey.size + 4:
            return .ec(.p256)
        case (.ecPrivate, 0xE1) where size == ECKey.size + 4, (.ecPublic, 0xE1) where size == 2 * ECKey.size + 4:
            return .ec(.secp256k1)
        default: return nil
        }
    }

    /// The property of an RSA key whose primes are tested at length.
    static let thoroughPrimes: UInt8 = 0x1F

    private static func rsa(half: Int, fits: (Int) -> Bool) -> KeyAlgorithm? {
        guard fits(half), (32...256).contains(half), half.isMultiple(of: 16) else { return nil }
        return .rsa(bits: 16 * half)
    }

    /// The curve of a GOST key.
    ///
    /// For 256 bits the sets 10...40 are 10 + 16·n, n being the last byte of the CryptoPro identifier; the sets from 50
    /// and all of those for 512 bits are the emulator's choice.
    private var curve: Curve? {
        switch (type, parameterSet) {
        case (.gostPrivate, 0x10), (.gostPublic, 0x10): .test2001
        case (.gostPrivate, 0x20), (.gostPublic, 0x20): .cryptoProA
        case (.gostPrivate, 0x30), (.gostPublic, 0x30): .cryptoProB
        case (.gostPrivate, 0x40), (.gostPublic, 0x40): .cryptoProC
        case (.gostPrivate, 0x50), (.gostPublic, 0x50): .tc26256A
        case (.gostPrivate, 0x60), (.gostPublic, 0x60): .cryptoProXchA
        case (.gostPrivate, 0x70), (.gostPublic, 0x70): .cryptoProXchB
        case (.gost512Private, 0x20), (.gost512Public, 0x20): .tc26512A
        case (.gost512Private, 0x30), (.gost512Public, 0x30): .tc26512B
        case (.gost512Private, 0x40), (.gost512Public, 0x40): .tc26512C
        default: nil
        }
    }
}

extension File {
    /// The algorithm of the key in the file; nil unless the file is of a key pair.
    var algorithm: KeyAlgorithm? { rightsFile?.algorithm(size: size) }
}
