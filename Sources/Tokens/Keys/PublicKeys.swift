// SPDX-License-Identifier: Apache-2.0
import GOST
package import HostCrypto
package import Token

/// Public keys of objects.
extension TokenObject {
    /// The public key that the object itself tells: of a public key, and of a private one of RSA.
    package var publicKeyInfo: PublicKeyInfo? {
        if let given = self[.publicKeyInfo], !given.isEmpty { return try? PublicKeyInfo(der: given.span) }
        return switch content {
        case .key(let key): PublicKeyInfo(key.kind)
        case .publicKey: PublicKeyInfo(recordOf: self)
        case .certificate, .data, .secretKey: nil
        }
    }

    /// Whether it is a public key.
    package var isPublicKey: Bool { content == .publicKey || key?.half == .publicKey }

    /// The public key of a certificate; nil for one that was not read, or is not known to this library.
    package var certifiedKey: PublicKeyInfo? {
        guard case .certificate(_, let value?) = content,
            let info = try? Certificate(der: value.span).subjectPublicKeyInfo
        else { return nil }
        return try? PublicKeyInfo(der: info.span)
    }
}

extension PublicKeyInfo {
    fileprivate init?(_ kind: any CardKey) {
        switch kind {
        case let key as GOSTKey:
            self.init(gost: key.value, on: key.curve, digest: key.gostR3411Parameters)
        case let key as RSAKey: self.init(rsa: key.modulus, key.publicExponent)
        case let key as ECKey: self.init(ec: key.point.map { [0x04] + $0 }, key.parameters)
        default: return nil
        }
    }

    /// The public key that an object is which a token keeps by its attributes alone.
    fileprivate init?(recordOf object: TokenObject) {
        if let parameters = object[.gostR3410Parameters], let curve = Curve(oid: parameters) {
            self.init(gost: object[.value], on: curve, digest: object[.gostR3411Parameters])
        } else if let modulus = object[.modulus] {
            self.init(rsa: modulus, object[.publicExponent])
        } else {
            self.init(ec: object[.ecPoint], object[.ecParameters] ?? [])
        }
    }

    private init?(gost value: [UInt8]?, on curve: Curve, digest: [UInt8]?) {
        guard let value, let key = try? PublicKey(curve: curve, bytes: value) else { return nil }
        let algorithm = PublicKeyAlgorithm(digestParameterSet: digest, curve: curve)
        guard let info = try? SubjectPublicKeyInfo(algorithm: algorithm, key: key).namingDigest else { return nil }
        self = .gost(info)
    }

    private init?(rsa modulus: [UInt8]?, _ publicExponent: [UInt8]?) {
        guard let modulus, let publicExponent,
            let key = try? RSAPublicKey(modulus: modulus, publicExponent: publicExponent)
        else { return nil }
        self = .rsa(key)
    }

    private init?(ec point: [UInt8]?, _ parameters: [UInt8]) {
        guard let point, let curve = ECCurve(oid: parameters),
            let key = try? ECPublicKey(curve: curve, bareOrDER: point)
        else { return nil }
        self = .ec(key)
    }

    /// Whether the public key is of the kind and the parameters of a private one.
    package func belongs(to key: any CardKey) -> Bool {
        switch (self, key) {
        case (.gost(let info), let key as GOSTKey): info.key.curve.oid == key.curve.oid
        case (.rsa, is RSAKey): true
        case (.ec(let info), let key as ECKey): info.curve.oid == key.parameters
        default: false
        }
    }
}

/// A key pair of a token.
package struct KeyPairObjects: Sendable {
    package let privateKey: TokenObject
    package let publicKey: TokenObject?
}

extension [TokenObject] {
    /// The key pairs, by their private keys.
    package var keyPairs: [KeyPairObjects] {
        compactMap { object in
            guard let key = object.key, key.half == .privateKey else { return nil }
            return KeyPairObjects(privateKey: object, publicKey: publicHalf(of: object, key))
        }
    }

    /// The public half of a private key: of the same pair of files, or else one of the same kind with its identifier.
    private func publicHalf(of object: TokenObject, _ key: TokenKey) -> TokenObject? {
        let candidates = filter { other in
            other.isPublicKey && other.identifier == object.identifier && other.keyTypeName == object.keyTypeName
        }
        // Several pairs can have one identifier.
        let own = object.publicKeyInfo
        return candidates.first { $0.key?.number == key.number && key.number != 0 }
            ?? candidates.first { own != nil && $0.publicKeyInfo == own } ?? candidates.first
    }

    /// The public key that goes with a private one, as far as these objects tell: its own, that of the same pair, or
    /// that of a public key without a pair of its own that has the same identifier.
    package func publicKeyInfo(of object: TokenObject) -> PublicKeyInfo? {
        guard let key = object.key, key.half == .privateKey else { return object.publicKeyInfo }
        if let own = object.publicKeyInfo { return own }
        func infos(where isWanted: (_ number: UInt8, _ id: [UInt8]) -> Bool) -> [PublicKeyInfo] {
            compactMap { other in
                guard other.isPublicKey, isWanted(other.key?.number ?? 0, other.identifier),
                    let info = other.publicKeyInfo, info.belongs(to: key.kind)
                else { return nil }
                return info
            }
        }
        let id = object.identifier
        return infos { number, _ in number == key.number && number != 0 }.first
            ?? infos { number, other in number == 0 && !id.isEmpty && other == id }.first
    }

    /// The public key in the first certificate that has a private key's identifier and parameters.
    package func certifiedKey(of object: TokenObject) -> PublicKeyInfo? {
        guard let key = object.key, !object.identifier.isEmpty else { return nil }
        return lazy.filter { $0.identifier == object.identifier }
            .compactMap(\.certifiedKey).first { $0.belongs(to: key.kind) }
    }
}

extension TokenObject {
    /// The type of a key of a pair: each has a number of its own in PKCS #11.
    package var keyTypeName: KeyTypeName? {
        if let kind = key?.kind {
            return switch kind {
            case let key as GOSTKey: key.curve.coordinateSize == 64 ? .gost512 : .gost256
            case is RSAKey: .rsa
            case is ECKey: .ec
            default: nil
            }
        }
        return recordedKeyType.flatMap { KeyTypeName(rawValue: $0) }
    }

    /// Whether it is a key of GOST R 34.10-2001, which has the number of keys of 2012 with 256 bits in PKCS #11, and signs
    /// digests of GOST R 34.11-94.
    package var isOf2001: Bool {
        guard keyTypeName == .gost256 else { return false }
        let digest = (key?.kind as? GOSTKey)?.gostR3411Parameters ?? self[.gostR3411Parameters]
        return digest == PublicKeyAlgorithm.gostR34102001.digestParameterSet
    }
}

extension TokenObject {
    /// The length of a key of RSA, as far as it is known.
    package var modulusBits: Int? {
        if let key = key?.kind as? RSAKey { return key.modulus.map { $0.count * 8 } }
        // Records of other programs can have zeros before the number.
        return self[.modulus].map { $0.drop { $0 == 0 }.count * 8 }
    }

    /// The object identifier of the curve of a key of ECDSA, in DER.
    package var ecParameters: [UInt8]? { (key?.kind as? ECKey)?.parameters ?? self[.ecParameters] }
}

/// The types of key pairs, by their numbers in PKCS #11.
package enum KeyTypeName: UInt64, Sendable {
    case rsa = 0x0
    case ec = 0x3
    /// Of GOST R 34.10-2001, too.
    case gost256 = 0x30
    case gost512 = 0xD432_1003
}

extension TokenObject {
    /// The type of a secret key; nil for one that is not known here.
    package var secretKeyType: SecretKeyName? {
        guard case .secretKey = content else { return nil }
        return recordedKeyType.flatMap { SecretKeyName(number: $0) }
    }
}

/// The types of secret keys.
package enum SecretKeyName: Sendable {
    case gost28147, magma, kuznyechik, magmaTwin, kuznyechikTwin, aes, generic, hmac

    /// - Parameter number: The type's number in PKCS #11.
    fileprivate init?(number: UInt64) {
        switch number {
        case 0x10: self = .generic
        case 0x1F: self = .aes
        case 0x28, 0x2B...0x2E: self = .hmac
        case 0x32: self = .gost28147
        case 0xD432_1004: self = .kuznyechik
        case 0xD432_1005: self = .magma
        case 0xD432_1006: self = .kuznyechikTwin
        case 0xD432_1007: self = .magmaTwin
        default: return nil
        }
    }
}
