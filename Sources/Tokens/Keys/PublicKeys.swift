// SPDX-License-Identifier: Apache-2.0
import CCryptoki
package import GOST
package import HostCrypto
package import Token

/// Public keys of objects.
extension ObjectAttributes {
    package var gostCurve: Curve? { self[CKA_GOSTR3410_PARAMS].flatMap { Curve(oid: $0) } }

    /// The numbers of a key of RSA, as its public half has them.
    package func rsaPublicKey() throws(HostCryptoError) -> RSAPublicKey {
        try RSAPublicKey(modulus: self[CKA_MODULUS] ?? [], publicExponent: self[CKA_PUBLIC_EXPONENT] ?? [])
    }

    /// The public key that the attributes of either half hold.
    package func publicKeyInfo(of type: KeyType) throws(TokensError) -> PublicKeyInfo {
        do {
            switch type {
            case .rsa: return .rsa(try rsaPublicKey())
            case .ec:
                guard let curve = ECCurve(oid: self[CKA_EC_PARAMS] ?? []) else { throw HostCryptoError.invalidKey }
                return .ec(try ECPublicKey(curve: curve, bareOrDER: self[CKA_EC_POINT] ?? []))
            case .gostR3410, .gostR3410With512Bits:
                guard let gostCurve else { throw GOSTError.invalidParameter }
                let key = try PublicKey(curve: gostCurve, bytes: self[CKA_VALUE] ?? [])
                let algorithm = PublicKeyAlgorithm(digestParameterSet: self[CKA_GOSTR3411_PARAMS], curve: gostCurve)
                return .gost(try SubjectPublicKeyInfo(algorithm: algorithm, key: key).namingDigest)
            }
        } catch let error as HostCryptoError {
            throw .computation(error)
        } catch {
            throw .gost(error as? GOSTError ?? .libraryFailure)
        }
    }
}

extension TokenObject {
    /// The public key that the object itself contains: of a public key, and of a private one of RSA.
    package var publicKeyInfo: PublicKeyInfo? {
        if let given = self[CKA_PUBLIC_KEY_INFO], !given.isEmpty { return try? PublicKeyInfo(der: given.span) }
        return keyType.flatMap { try? publicKeyInfo(of: $0) }
    }

    /// Whether it is a public key.
    package var isPublicKey: Bool { content == .publicKey || key?.half == .publicKey }

    /// The public key of a certificate; nil if it was not read, or is not known to this library.
    package var certifiedKey: PublicKeyInfo? {
        guard case .certificate(_, let value?) = content,
            let info = try? Certificate(der: value.span).subjectPublicKeyInfo
        else { return nil }
        return try? PublicKeyInfo(der: info.span)
    }
}

extension PublicKeyInfo {
    /// Whether the public key is of the kind and the parameters of a private one.
    package func belongs(to key: CardKey) -> Bool {
        switch (self, key) {
        case (.gost(let info), .gost(let key)): info.key.curve.oid == key.curve.oid
        case (.rsa, .rsa): true
        case (.ec(let info), .ec(let key)): info.curve.oid == key.parameters
        default: false
        }
    }
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
            other.isPublicKey && other.identifier == object.identifier && other.keyType == object.keyType
        }
        // Several pairs can have one identifier.
        let own = object.publicKeyInfo
        return candidates.first { $0.key?.number == key.number && key.number != 0 }
            ?? candidates.first { own != nil && $0.publicKeyInfo == own } ?? candidates.first
    }

    /// The public key that goes with a private one, as far as these objects hold it: its own, its pair's, or the key
    /// of a public key object without a pair of its own that has the same identifier.
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
    /// Whether it is a key of GOST R 34.10-2001, which has the number of keys of 2012 with 256 bits in PKCS #11, and signs
    /// digests of GOST R 34.11-94.
    package var isOf2001: Bool {
        keyType == .gostR3410 && self[CKA_GOSTR3411_PARAMS] == PublicKeyAlgorithm.gostR34102001.digestParameterSet
    }

    /// The length of a key of RSA, as far as it is known. Records of other programs can have zeros before the number.
    package var modulusBits: Int? { self[CKA_MODULUS].map { $0.drop { $0 == 0 }.count * 8 } }
}
