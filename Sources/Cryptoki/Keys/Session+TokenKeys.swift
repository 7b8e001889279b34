import APDU
import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token

/// Key pairs that a token makes, and private keys that it takes.
extension Session {
    /// Makes a key pair on the token. Whatever is asked for beside the key, the token keeps.
    func generateOnToken(_ templates: KeyPairTemplates) throws(CKError) -> (Object, Object) {
        let (publicKey, privateKey) = (templates.publicKey, templates.privateKey)
        try privateKey.checkTokenPrivateKey()
        let items: (TokenItem, TokenItem)
        switch templates.keyType {
        case .gostR3410, .gostR3410With512Bits:
            let template = try KeyPairTemplate(publicKey, privateKey)
            let keys = try withToken(orElse: .domainParametersInvalid("the token makes no keys with these parameters"))
            { token throws(TokenError) in
                try token.generateKeyPair(template)
            }
            items = (.key(keys.0), .key(keys.1))
        case .rsa:
            let template = try RSAKeyPairTemplate(publicKey, privateKey)
            let keys = try withToken(orElse: .keySizeRange("the token has no keys of this length")) {
                token throws(TokenError) in
                try token.generateRSAKeyPair(template)
            }
            items = (.rsaKey(keys.0), .rsaKey(keys.1))
        case .ec:
            let curve = publicKey[CKA_EC_PARAMS] ?? []
            guard TokenECKey.knows(curve) else {
                throw .curveNotSupported("\(publicKey.place(of: CKA_EC_PARAMS)) is no curve that tokens have keys on")
            }
            let canDerive = privateKey[CKA_DERIVE] == [1]
            let halves = (
                try publicKey.half { .ecKey(TokenECKey(.publicKey, $0, parameters: curve, canDerive: canDerive)) },
                try privateKey.half { .ecKey(TokenECKey(.privateKey, $0, parameters: curve, canDerive: canDerive)) }
            )
            let keys = try withToken(orElse: .curveNotSupported("the token has no keys on this curve")) {
                token throws(TokenError) in
                try token.generateECKeyPair(
                    on: curve, publicKey: halves.0, privateKey: halves.1, canDerive: canDerive)
            }
            items = (.ecKey(keys.0), .ecKey(keys.1))
        }
        var publicObject = try Object(items.0)
        if publicKey[CKA_TOKEN] != [1] {
            try slot.withToken { token throws(TokenError) in try token.delete(items.0) }
            publicObject.home = .session(handle, nil)
            publicObject.attributes.set(CKA_TOKEN, false)
        }
        return (publicObject, try Object(items.1))
    }

    /// Puts a private key that came from outside onto the token.
    func storePrivateKey(_ key: SessionKey, _ attributes: Attributes) throws(CKError) -> Object {
        try attributes.checkTokenPrivateKey()
        let item: TokenItem
        switch key.material {
        case .gost(let key):
            let template = try KeyPairTemplate(attributes, attributes, isImported: true)
            item = .key(
                try withToken(orElse: .domainParametersInvalid("the token makes no keys with these parameters")) {
                    token throws(TokenError) in
                    try token.importKey(key.scalar, template)
                })
        case .rsa(let key):
            guard let size = RSAKeySize(bits: key.publicKey.bitCount) else {
                throw .keySizeRange("a key of RSA with \(key.publicKey.bitCount) bits cannot live on a token")
            }
            let half = try attributes.half { text in
                var planned = TokenRSAKey(.privateKey, size: size, text, isImported: true)
                (planned.modulus, planned.publicExponent) = (key.publicKey.modulus, key.publicKey.publicExponent)
                return .rsaKey(planned)
            }
            let value = try RSAPrivateValue(key)
            item = .rsaKey(
                try withToken(orElse: .keySizeRange("the token has no keys of this length")) {
                    token throws(TokenError) in
                    try token.importRSAKey(
                        value, modulus: key.publicKey.modulus, publicExponent: key.publicKey.publicExponent, size: size,
                        half)
                })
        case .ec(let key):
            let curve = key.publicKey.curve.oid
            guard TokenECKey.knows(curve) else {
                throw .curveNotSupported("\(attributes.place(of: CKA_EC_PARAMS)) is no curve that tokens have keys on")
            }
            let canDerive = attributes[CKA_DERIVE] == [1]
            let half = try attributes.half {
                .ecKey(TokenECKey(.privateKey, $0, parameters: curve, isImported: true, canDerive: canDerive))
            }
            item = .ecKey(
                try withToken(orElse: .curveNotSupported("the token has no keys on this curve")) {
                    token throws(TokenError) in
                    try token.importECKey(key.scalar, on: curve, half, canDerive: canDerive)
                })
        case .secret: throw .templateInconsistent("the key is no private key")
        }
        return try Object(item)
    }

    /// As `Slot.withToken`, for what not every model can do.
    ///
    /// - Parameter refusal: What the application learns if this one cannot.
    private func withToken<Result>(
        orElse refusal: CKError, _ body: (Token) throws(TokenError) -> Result
    ) throws(CKError) -> Result {
        var isUnknown = false
        do throws(CKError) {
            return try slot.withToken { token throws(TokenError) in
                do throws(TokenError) { return try body(token) } catch {
                    isUnknown = error == .unsupported || error == .refused(.incorrectData)
                    throw error
                }
            }
        } catch {
            throw isUnknown ? refusal : error
        }
    }
}

extension Attributes {
    /// A private key of the token is private and never leaves it.
    ///
    /// - Throws: `CKR_TEMPLATE_INCONSISTENT` if it shall be otherwise.
    fileprivate func checkTokenPrivateKey() throws(CKError) {
        guard self[CKA_PRIVATE] == [1], self[CKA_SENSITIVE] == [1], self[CKA_EXTRACTABLE] == [0] else {
            throw .templateInconsistent(
                "a private key of the token has CKA_PRIVATE and CKA_SENSITIVE true, and CKA_EXTRACTABLE false")
        }
    }

    /// Whether a key shall agree on secrets: a key of GOST R 34.10 unwraps keys by that, too.
    var agrees: Bool { self[CKA_DERIVE] == [1] || self[CKA_UNWRAP] == [1] }

    /// What the token says of a key, and what it keeps beyond that.
    ///
    /// - Parameter item: The key as the token will show it.
    fileprivate func half(
        _ item: (KeyPairTemplate.Half) throws(CKError) -> TokenItem
    ) throws(CKError) -> KeyPairTemplate.Half {
        var half = KeyPairTemplate.Half(label: self[CKA_LABEL] ?? [], id: self[CKA_ID] ?? [])
        var item = try item(half)
        var attributes = self
        attributes.stayIfPrivateKey()
        try item.take(attributes)
        half.annotation.attributes = item.kept
        half.annotation.isPrivate = self[CKA_CLASS] == CKO_PUBLIC_KEY.bytes && self[CKA_PRIVATE] == [1]
        return half
    }
}

extension KeyPairTemplate {
    /// A GOST key pair with these attributes, or with an imported key its private half.
    fileprivate init(_ publicKey: Attributes, _ privateKey: Attributes, isImported: Bool = false) throws(CKError) {
        guard let curve = privateKey[CKA_GOSTR3410_PARAMS].flatMap({ Curve(oid: $0) }),
            let algorithm = KeyAlgorithm(curve: curve)
        else {
            throw .domainParametersInvalid(
                "\(privateKey.place(of: CKA_GOSTR3410_PARAMS)) names no curve that tokens have keys on")
        }
        let empty = Half(label: [], id: [])
        var template = KeyPairTemplate(
            algorithm: algorithm, gostR3411Parameters: privateKey[CKA_GOSTR3411_PARAMS] ?? [],
            gost28147Parameters: privateKey[CKA_GOST28147_PARAMS] ?? [],
            canDerive: privateKey.agrees, publicKey: empty, privateKey: empty)
        template.signsJournal = privateKey[CKA_VENDOR_KEY_JOURNAL] == [1]
        func half(_ attributes: Attributes, _ half: TokenKey.Half) throws(CKError) -> Half {
            try attributes.half { text throws(CKError) in
                var key = TokenKey(template, half)
                (key.label, key.id, key.isImported) = (text.label, text.id, isImported)
                return .key(key)
            }
        }
        if !isImported { template.publicKey = try half(publicKey, .publicKey) }
        template.privateKey = try half(privateKey, .privateKey)
        self = template
    }
}

extension RSAKeyPairTemplate {
    /// - Throws: `CKR_KEY_SIZE_RANGE`; `CKR_ATTRIBUTE_VALUE_INVALID` for another public exponent than 65537, the only one
    ///   that tokens make keys with.
    fileprivate init(_ publicKey: Attributes, _ privateKey: Attributes) throws(CKError) {
        guard let size = try publicKey.number(CKA_MODULUS_BITS).flatMap({ RSAKeySize(bits: Int(clamping: $0)) }) else {
            throw .keySizeRange("\(publicKey.place(of: CKA_MODULUS_BITS)) is no length that tokens make keys of")
        }
        let exponent: [UInt8] = [1, 0, 1]
        guard (publicKey[CKA_PUBLIC_EXPONENT] ?? []).drop(while: { $0 == 0 }).elementsEqual(exponent) else {
            throw .attributeValueInvalid(
                "\(publicKey.place(of: CKA_PUBLIC_EXPONENT)) is not 65537, with which alone tokens make keys")
        }
        func half(_ attributes: Attributes, _ half: TokenKey.Half) throws(CKError) -> KeyPairTemplate.Half {
            try attributes.half { .rsaKey(TokenRSAKey(half, size: size, $0)) }
        }
        self.init(
            size: size, publicKey: try half(publicKey, .publicKey), privateKey: try half(privateKey, .privateKey))
    }
}

extension RSAPrivateValue {
    /// - Throws: `CKR_TEMPLATE_INCOMPLETE` for a key without its factors, which tokens compute with.
    fileprivate init(_ key: borrowing RSAPrivateKey) throws(CKError) {
        do throws(HostCryptoError) {
            var components = try key.components()
            guard let factors = components.factors.take() else { throw HostCryptoError.invalidKey }
            self.init(
                prime1: factors.prime1.copy(), prime2: factors.prime2.copy(), coefficient: factors.coefficient.copy(),
                exponent1: factors.exponent1.copy(), exponent2: factors.exponent2.copy())
        } catch {
            throw error == .invalidKey
                ? .templateIncomplete("a token computes with CKA_PRIME_1 to CKA_COEFFICIENT, which are missing")
                : CKError(error)
        }
    }
}
