// SPDX-License-Identifier: Apache-2.0
package import GOST

/// Private keys and certificates that travel in a file under a password (PFX, PKCS #12; RFC 7292).
///
/// A file is opened only if its MAC verifies password and contents. Revocation lists and other things in it are
/// ignored.
package struct PFX: Sendable {
    /// In the order of the file.
    package let keys: [Key]
    package let certificates: [Certificate]

    /// The greatest number of bytes of a file.
    package static let sizeLimit = 1 << 20
    /// The greatest number of iterations that all key derivations of a file may take together. It takes a few seconds.
    package static let iterationLimit = 2_000_000
    /// The greatest number of keys, certificates and other things in a file.
    package static let bagLimit = 256
    /// The greatest number of private keys in a file, each of which is checked.
    package static let keyLimit = 16

    /// A private key.
    package final class Key: Sendable {
        package enum Material: ~Copyable, Sendable {
            case gost(PrivateKeyInfo)
            case rsa(RSAPrivateKey)
            case ec(ECPrivateKey)
        }

        package let material: Material
        /// The private key's public half.
        package let publicKey: PublicKeyInfo
        package let name: BagName
        /// Whether nothing else says that the key was read as its writer meant it.
        let needsCertificate: Bool

        init(
            _ material: consuming Material, _ publicKey: PublicKeyInfo, _ name: BagName, needsCertificate: Bool = false
        ) {
            self.material = material
            self.publicKey = publicKey
            self.name = name
            self.needsCertificate = needsCertificate
        }
    }

    package struct Certificate: Sendable, Equatable {
        /// The bytes in the file, not yet parsed.
        package let der: [UInt8]
        package let name: BagName

        /// nil if the bytes are not a certificate, or its key is of a kind that the host does not support.
        package var publicKey: PublicKeyInfo? {
            guard let certificate = try? HostCrypto.Certificate(der: der.span) else { return nil }
            let info = certificate.subjectPublicKeyInfo
            return try? PublicKeyInfo(der: info.span)
        }
    }

    /// The writer's names for a key or a certificate.
    package struct BagName: Sendable, Equatable {
        /// localKeyId: a key and its certificate have the same (RFC 2985, 5.5.2). Empty if missing.
        package internal(set) var id: [UInt8] = []
        /// friendlyName (RFC 2985, 5.5.1). Empty if missing or unreadable.
        package internal(set) var label = ""
    }

    /// The first certificate of a key.
    package func certificate(of key: Key) -> Certificate? {
        certificates.first { $0.publicKey?.isSamePoint(as: key.publicKey) == true }
    }
}

/// Why a file is not imported.
package enum PFXError: Error, Sendable, Equatable {
    /// The MAC does not match: the password is wrong, or the file is damaged.
    case wrongPassword
    /// The password is not valid UTF-8.
    case invalidPassword
    /// Malformed bytes, though the MAC is right or was not checked yet.
    case damaged
    /// Something with this object identifier, in dotted decimal.
    case unsupported(String)
    /// A file without a MAC, which nothing tells from a changed one.
    case unauthenticated
    /// A file of more than ``PFX/sizeLimit`` bytes, or with more than ``PFX/bagLimit`` things or
    /// ``PFX/keyLimit`` keys in it.
    case tooLarge
    /// Key derivations of more than ``PFX/iterationLimit`` iterations.
    case tooManyIterations
    /// A key of CryptoPro's own form that belongs to no certificate in the file.
    case keyMismatch
    /// Invalid key components, or a size or curve that the host does not support.
    case invalidKey
    /// libcrypto ran out of memory or failed in a way that no input explains.
    case libraryFailure
}

extension PublicKeyInfo {
    /// Whether two keys are the same numbers. Parameter sets of GOST R 34.10 have several names for one curve, and a key and
    /// its certificate may differ in the name.
    package func isSamePoint(as other: PublicKeyInfo) -> Bool {
        if case .gost(let own) = self, case .gost(let other) = other { return own.key.bytes == other.key.bytes }
        return self == other
    }
}
