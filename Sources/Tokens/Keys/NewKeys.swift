// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import APDU
import GOST
package import HostCrypto
import Locking
import Secrets
package import Token

/// A kind of key pairs to be made.
package enum NewKeyPair: Sendable {
    /// GOST R 34.10-2012 on CryptoPro's curve A, or TC 26's.
    case gost256, gost512
    case rsa(bits: Int)
    case p256

    fileprivate var kind: CardKey {
        get throws(TokensError) {
            switch self {
            case .gost256: return .gost(GOSTKey(.cryptoProA, hash: .streebog256))
            case .gost512: return .gost(GOSTKey(.tc26512A, hash: .streebog512))
            case .p256: return .ec(ECKey(ECCurve.p256.oid))
            case .rsa(let bits):
                guard let size = RSAKeySize(bits: bits) else { throw refusal }
                return .rsa(RSAKey(size))
            }
        }
    }

    /// The error if the token makes no such keys.
    fileprivate var refusal: TokensError {
        switch self {
        case .rsa: .refused(.keySize, "the token has no keys of this length")
        default: .refused(.keyParameters, "the token makes no keys with these parameters")
        }
    }
}

extension GOSTKey {
    /// A key with the parameters that the vendor's library enters, too.
    fileprivate init(_ curve: Curve, hash: HashAlgorithm) {
        self.init(curve, gostR3411Parameters: hash.oid, gost28147Parameters: SBox.tc26Z.oid)
    }
}

extension TokenSession {
    /// Makes a key pair on the token.
    ///
    /// - Parameter agrees: Whether the key is to agree on secrets, too, which cannot be changed later.
    package func generateKeyPair(
        _ new: NewKeyPair, id: [UInt8], label: [UInt8], agrees: Bool
    ) throws(TokensError) -> KeyPairObjects {
        let kind = try new.kind
        let properties: TokenKey.Properties = agrees ? .derives : []
        func half(_ half: TokenKey.Half) -> TokenObject {
            TokenObject(.key(TokenKey(half, kind, properties)), label: label, id: id)
        }
        var (publicKey, privateKey) = (half(.publicKey), half(.privateKey))
        // The public half agrees on nothing, whatever its file states.
        if agrees, kind.gostKey != nil { publicKey[CKA_DERIVE] = [0] }
        privateKey.isPrivate = true
        let made = try creating(orElse: new.refusal) { [publicKey, privateKey] token throws(TokenError) in
            let made = try token.generateKeyPair(publicKey, privateKey)
            return [made.0, made.1]
        }
        return KeyPairObjects(privateKey: made[1], publicKey: made[0])
    }

    /// Runs `body`, which makes objects that not every model has.
    fileprivate func creating(
        orElse refusal: TokensError, _ body: @Sendable (ConnectedToken) throws(TokenError) -> [TokenObject]
    ) throws(TokensError) -> [TokenObject] {
        try requireLogin(.user)
        let made = try withToken { token throws(TokenError) -> [TokenObject]? in
            do throws(TokenError) { return try body(token) } catch {
                guard error == .unsupported || error == .refused(.incorrectData) else { throw error }
                return nil
            }
        }
        guard let made else { throw refusal }
        known.withLock { $0 = nil }
        return made
    }
}

/// The objects on the token that a key of a file has become.
package struct ImportedKey: Sendable {
    package let privateKey, publicKey: TokenObject
    /// nil if the file has no certificates.
    package let certificate: TokenObject?
    /// The identifier of all of them.
    package let id: [UInt8]

    package var pair: KeyPairObjects { KeyPairObjects(privateKey: privateKey, publicKey: publicKey) }
}

extension TokenSession {
    /// The first key of the token that a file has, too.
    package func presentKey(of pfx: PFX) throws(TokensError) -> TokenObject? {
        try requireLogin(.user)
        for object in try objects() where object.key?.half == .privateKey {
            guard let info = try publicKeyInfo(of: object) else { continue }
            if pfx.keys.contains(where: { $0.publicKey.isSamePoint(as: info) }) { return object }
        }
        return nil
    }

    /// Puts a private key of a file onto the token, which never returns it, and beside it its public key and its
    /// certificate.
    ///
    /// If one of them cannot be stored none stays, as far as the token can be reached.
    ///
    /// - Parameters:
    ///   - label: nil for the key's name in the file.
    ///   - agrees: Whether the key is to agree on secrets too, which cannot be changed later.
    /// - Throws: A refusal if the file has certificates, and none is the key's.
    package func importPFX(
        _ key: PFX.Key, of pfx: PFX, label: [UInt8]? = nil, agrees: Bool = false
    ) throws(TokensError) -> ImportedKey {
        let certificate = pfx.certificate(of: key)
        guard certificate != nil || pfx.certificates.isEmpty else {
            throw .refused(.keyType, "no certificate in the file belongs to the private key")
        }
        // A search for the key of a certificate uses the certificate's identifiers of algorithm and curve.
        let info = certificate?.publicKey ?? key.publicKey
        let der = info.der
        let id: [UInt8]
        do throws(HostCryptoError) { id = try Digest.digest(der.span, .sha1) } catch { throw .computation(error) }
        let label = label ?? Array(key.name.label.utf8)
        var made: [TokenObject] = []
        do throws(TokensError) {
            made.append(try importKey(key, info, id: id, label: label, agrees: agrees))
            made.append(try store(TokenObject(recording: info, id: id, label: label, agrees: agrees)))
            if let certificate { made.append(try storeCertificate(certificate.der, id: id, label: label)) }
        } catch {
            for object in made.reversed() { try? delete(object) }
            throw error
        }
        return ImportedKey(privateKey: made[0], publicKey: made[1], certificate: made.count > 2 ? made[2] : nil, id: id)
    }

    private func importKey(
        _ key: PFX.Key, _ info: PublicKeyInfo, id: [UInt8], label: [UInt8], agrees: Bool
    ) throws(TokensError) -> TokenObject {
        let (kind, refusal) = try info.tokenKind()
        var properties: TokenKey.Properties = .imported
        if agrees, kind.rsaKey == nil { properties.insert(.derives) }
        var object = TokenObject(.key(TokenKey(.privateKey, kind, properties)), label: label, id: id)
        // A token settles nothing of this for keys of RSA, so that the record holds it.
        if agrees, kind.rsaKey != nil { object[CKA_DERIVE] = [1] }
        let value = try key.tokenValue()
        let made = try creating(orElse: refusal) { [object] token throws(TokenError) in
            [try token.importKey(value, as: object)]
        }
        return made[0]
    }
}

extension PublicKeyInfo {
    /// The kind of keys on tokens, and the error if the token has no such keys.
    fileprivate func tokenKind() throws(TokensError) -> (CardKey, TokensError) {
        let parameters = TokensError.refused(
            .keyParameters, "the token makes no keys with these parameters")
        switch self {
        case .gost(let info):
            let key = GOSTKey(
                info.key.curve, gostR3411Parameters: info.algorithm.algorithm.digestParameterSet,
                gost28147Parameters: SBox.tc26Z.oid)
            guard key.files != nil else { throw parameters }
            return (.gost(key), parameters)
        case .ec(let key):
            let key = ECKey(key.curve.oid)
            guard key.files != nil else { throw parameters }
            return (.ec(key), parameters)
        case .rsa(let key):
            let refusal = TokensError.refused(.keySize, "the token has no keys of this length")
            guard let size = RSAKeySize(bits: key.bitCount) else { throw refusal }
            return (.rsa(RSAKey(size, modulus: key.modulus, publicExponent: key.publicExponent)), refusal)
        }
    }
}

extension PFX.Key {
    /// The value in the form that a token accepts.
    ///
    /// - Throws: A refusal of a key of RSA without its factors, which tokens compute with.
    fileprivate func tokenValue() throws(TokensError) -> Secret {
        switch material {
        case .gost(let info): return info.key.scalar.copy()
        case .ec(let key): return key.scalar.copy()
        case .rsa(let key):
            do throws(HostCryptoError) {
                var components = try key.components()
                guard let factors = components.factors.take(), let size = RSAKeySize(bits: key.publicKey.bitCount)
                else { throw HostCryptoError.invalidKey }
                return size.privateValue(factors)
            } catch {
                throw error == .invalidKey
                    ? .refused(.data, "a token computes with the factors of the modulus, which are missing")
                    : .computation(error)
            }
        }
    }
}

extension TokenObject {
    /// A public key without a key file of its own, with all attributes that PKCS #11 defines for it.
    fileprivate init(recording info: PublicKeyInfo, id: [UInt8], label: [UInt8], agrees: Bool) {
        self.init(.publicKey)
        let (no, yes, none): ([UInt8], [UInt8], [UInt8]) = ([0], [1], [])
        let encrypts = if case .rsa = info { yes } else { no }
        let common: [(CK_ATTRIBUTE_TYPE, [UInt8])] = [
            (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_PRIVATE, no), (CKA_MODIFIABLE, yes), (CKA_COPYABLE, yes),
            (CKA_DESTROYABLE, yes), (CKA_LABEL, label), (CKA_ID, id), (CKA_START_DATE, none), (CKA_END_DATE, none),
            (CKA_DERIVE, agrees ? yes : no), (CKA_LOCAL, no), (CKA_KEY_GEN_MECHANISM, CK_ULONG.max.bytes),
            (CKA_ALLOWED_MECHANISMS, none), (CKA_SUBJECT, none), (CKA_PUBLIC_KEY_INFO, none),
            (CKA_ENCRYPT, encrypts), (CKA_VERIFY, yes), (CKA_VERIFY_RECOVER, encrypts), (CKA_WRAP, encrypts),
            (CKA_TRUSTED, no), (CKA_WRAP_TEMPLATE, none),
        ]
        let own: [(CK_ATTRIBUTE_TYPE, [UInt8])]
        let type: KeyType
        switch info {
        case .gost(let info):
            type = KeyType(info.key.curve)
            own = [
                (CKA_GOSTR3410_PARAMS, info.key.curve.oid),
                (CKA_GOSTR3411_PARAMS, info.algorithm.algorithm.digestParameterSet),
                (CKA_GOST28147_PARAMS, SBox.tc26Z.oid), (CKA_VALUE, info.key.bytes), (CKA_VENDOR_KEY_JOURNAL, no),
            ]
        case .rsa(let key):
            type = .rsa
            own = [(CKA_MODULUS, key.modulus), (CKA_PUBLIC_EXPONENT, key.publicExponent), (CKA_MODULUS_BITS, none)]
        case .ec(let key):
            type = .ec
            own = [(CKA_EC_PARAMS, key.curve.oid), (CKA_EC_POINT, key.octetString)]
        }
        for (attribute, value) in common + own { self[attribute] = value }
        self[CKA_KEY_TYPE] = type.rawValue.bytes
    }
}
