// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
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
