// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
package import Secrets
import TokenEnd

/// The content of a rights file: byte 0 of its properties (tag 85).
package enum RightsFileType: UInt8, Sendable {
    case globalPIN = 0x01
    case localPIN = 0x21
    case gost28147 = 0x02
    case aes = 0x22
    case tripleDES = 0x42
    case kuznyechik = 0x82
    case gostPrivate = 0x03
    case gostPublic = 0x13
    case gost512Private = 0x43
    case gost512Public = 0x53
    case rsaPrivate = 0x23
    case rsaPublic = 0x33
    case ecPrivate = 0x63
    case ecPublic = 0x73

    /// The directory under 1000/1000 where the card files it; nil for global PINs, which have no place in the tree.
    var directory: UInt16? {
        switch self {
        case .gostPublic, .gost512Public, .rsaPublic, .ecPublic: 0x6001
        case .gostPrivate, .gost512Private, .rsaPrivate, .ecPrivate: 0x6002
        case .gost28147, .aes, .tripleDES, .kuznyechik: 0x6003
        case .localPIN: 0x6005
        case .globalPIN: nil
        }
    }

    /// The path of number `number` of this type.
    func path(_ number: UInt8) -> FilePath {
        let own: FilePath = [UInt16(number)]
        return directory.map { FilePath.system.appending($0).appending(UInt16(number)) } ?? own
    }

    var isPIN: Bool { self == .globalPIN || self == .localPIN }

    /// The public half's type, for the private half of a key pair.
    var publicHalf: RightsFileType? {
        switch self {
        case .gostPrivate: .gostPublic
        case .gost512Private: .gost512Public
        case .rsaPrivate: .rsaPublic
        case .ecPrivate: .ecPublic
        default: nil
        }
    }

    var isPublicKey: Bool { directory == RightsFileType.gostPublic.directory }
    var isSecretKey: Bool { directory == RightsFileType.kuznyechik.directory }
}

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

    /// The least length of a PIN, and which byte of the properties tells the parameter set of a key.
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

/// The bits of byte 2 of a rights file's properties.
enum RightsFileFlags {
    /// The PIN is not the one that every new token has.
    static let pinChanged: UInt8 = 0x04
    /// The key may agree on secrets.
    static let agrees: UInt8 = 0x01
    /// The key came from outside.
    static let imported: UInt8 = 0x08
    /// A local PIN that has a value.
    static let localPINSet: UInt8 = 0x03
    /// The PIN was given as UTF-8.
    static let text: UInt8 = 0x80
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

/// The access conditions of a file: the 15 bytes of tag 86.
///
/// Byte 0 says which of seven operations have a condition, byte 1 + i is the condition of operation i, byte 8 + i
/// qualifies it.
package struct AccessConditions: Sendable, Equatable {
    /// An operation's number. Its meaning depends on the kind of file.
    struct Operation: Equatable {
        let number: Int

        static let read = Operation(number: 0)
        static let createFile = Operation(number: 0)
        static let unblock = Operation(number: 0)
        static let update = Operation(number: 1)
        static let createRightsFile = Operation(number: 1)
        static let use = Operation(number: 2)
        static let putData = Operation(number: 2)
        static let delete = Operation(number: 6)
    }

    /// The numbers of the PINs that stand for the administrator and the user.
    static let administrator = 1
    static let user = 2

    /// The bytes of tag 86.
    package let bytes: [UInt8]

    /// Nil unless there are 15 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 15 else { return nil }
        self.bytes = bytes
    }

    /// Conditions without qualifiers: the mask, and one condition for each of the seven operations.
    init(_ mask: UInt8, _ conditions: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)) {
        let (c0, c1, c2, c3, c4, c5, c6) = conditions
        bytes = [mask, c0, c1, c2, c3, c4, c5, c6] + [UInt8](repeating: 0, count: 7)
    }

    /// The condition byte of the operation; nil if the mask gives it none.
    func condition(of operation: Operation) -> UInt8? {
        guard bytes[0] >> UInt8(operation.number) & 1 == 1 else { return nil }
        return bytes[1 + operation.number]
    }

    /// Whether the holder of the presented PINs `rights` may do it. Without a condition only reading is free.
    func permit(_ operation: Operation, to rights: Set<Int>, unconditioned: Bool = false) -> Bool {
        guard let condition = condition(of: operation) else { return unconditioned }
        return switch condition {
        case 0x00: true
        case 0x01: rights.contains(Self.administrator)
        case 0x02: rights.contains(Self.user)
        case 0x03: rights.contains(Self.administrator) || rights.contains(Self.user)
        case 0x04: rights.contains(Int(bytes[8 + operation.number]))
        default: false
        }
    }
}

extension AccessConditions {
    /// The MF: the user creates, the administrator changes token data, deleting is forbidden.
    static let root = AccessConditions(0x47, (2, 2, 1, 0, 0, 0, 0xFF))
    /// The directories of a formatted token.
    static let systemDirectory = AccessConditions(0x43, (2, 2, 0, 0, 0, 0, 0xFF))
    /// The directories of the Windows minidriver.
    static let minidriver = AccessConditions(0x43, (3, 3, 0, 0, 0, 0, 0xFF))
    /// The administrator's PIN: changed by the administrator, never unblocked.
    static let administratorPIN = AccessConditions(0x43, (0xFF, 1, 0, 0, 0, 0, 0xFF))
    /// The user's PIN: unblocked by the administrator, changed by the user.
    static let userPIN = AccessConditions(0x43, (1, 2, 0, 0, 0, 0, 0xFF))
    /// A file that everybody reads and the user changes and deletes.
    static let publicFile = AccessConditions(0x43, (0, 2, 0, 0, 0, 0, 2))
}
