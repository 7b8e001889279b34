// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
package import TokenEnd

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
    var isPrivateKey: Bool { publicHalf != nil }
    var isSecretKey: Bool { directory == RightsFileType.kuznyechik.directory }
}

/// A PIN or a key: six bytes of properties and, once it is set, the value.
package struct RightsFile: Sendable {
    package let type: RightsFileType
    /// The bytes of tag 85.
    package private(set) var properties: [UInt8]
    /// The PIN; a secret key; the private scalar or the public point X ‖ Y; the RSA key in the form of ``RSAKey`` or n ‖ e.
    /// Numbers are little-endian. Nil until it is set.
    package var value: Sealed?

    /// Nil unless the properties are six bytes that make sense for their type.
    package init?(properties: [UInt8], value: Sealed? = nil) {
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
