import APDU
import CCryptoki
import Token

extension Object {
    /// The object that a token keeps so.
    init(_ item: TokenItem) throws(CKError) {
        var attributes = item.description
        if case .storedKey = item {} else { attributes = try AttributeTable(for: attributes).completed(attributes) }
        if case .certificate = item { attributes.completeCertificate() }
        if attributes[CKA_CLASS] == CKO_PRIVATE_KEY.bytes, let type = try attributes.number(CKA_KEY_TYPE) {
            // What the token does not give away.
            for type in KeyType(type)?.secretAttributes ?? [] { attributes[type] = nil }
        }
        attributes.set(CKA_TOKEN, true)
        attributes.set(CKA_UNIQUE_ID, UniqueID.derived(from: item))
        if item.isForeign {
            attributes.set(CKA_MODIFIABLE, false)
            attributes.set(CKA_DESTROYABLE, false)
        }
        for (type, value) in item.kept { attributes.set(CK_ATTRIBUTE_TYPE(type), value) }
        attributes.stayIfPrivateKey()
        let isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        self.init(home: .token(item, nil), attributes: attributes, isPrivate: isPrivate)
    }
}

extension TokenItem {
    /// The attributes that differ from the defaults.
    fileprivate var description: Attributes {
        switch self {
        case .key(let key): key.description
        case .rsaKey(let key): key.description
        case .ecKey(let key): key.description
        case .certificate(let certificate): certificate.description
        case .data(let data): data.description
        case .storedKey: Attributes()
        }
    }
}

extension Attributes {
    /// A private key that lives on a token stays there: no copy can be made of it.
    mutating func stayIfPrivateKey() {
        if self[CKA_CLASS] == CKO_PRIVATE_KEY.bytes { set(CKA_COPYABLE, false) }
    }

    /// What both halves of a key pair on the token have in common. A private key is private and stays on the token.
    fileprivate init(
        _ half: TokenKey.Half, _ object: some RecordedObject, isImported: Bool, keyType: CK_KEY_TYPE,
        generation: CK_MECHANISM_TYPE
    ) {
        self.init()
        set(CKA_CLASS, half == .publicKey ? CKO_PUBLIC_KEY : CKO_PRIVATE_KEY)
        set(CKA_KEY_TYPE, keyType)
        set(CKA_LABEL, object.label)
        set(CKA_ID, object.id)
        set(CKA_LOCAL, !isImported)
        set(CKA_KEY_GEN_MECHANISM, isImported ? .unavailable : generation)
        set(CKA_PRIVATE, half == .privateKey || object.annotation.isPrivate)
        guard half == .privateKey else { return }
        set(CKA_SENSITIVE, true)
        set(CKA_EXTRACTABLE, false)
        for flag in [CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] { set(flag, !isImported) }
    }
}

extension TokenKey {
    fileprivate var description: Attributes {
        let keyType = KeyType(curve)
        var attributes = Attributes(
            half, self, isImported: isImported, keyType: keyType.rawValue, generation: keyType.keyPairGeneration)
        attributes.set(CKA_GOSTR3410_PARAMS, gostR3410Parameters)
        attributes.set(CKA_GOSTR3411_PARAMS, gostR3411Parameters)
        attributes.set(CKA_GOST28147_PARAMS, gost28147Parameters)
        attributes.set(CKA_DERIVE, canDerive)
        attributes.set(CKA_VENDOR_KEY_JOURNAL, signsJournal)
        if half == .publicKey { attributes[CKA_VALUE] = value }
        return attributes
    }
}

extension TokenRSAKey {
    fileprivate var description: Attributes {
        var attributes = Attributes(
            half, self, isImported: isImported, keyType: CKK_RSA, generation: CKM_RSA_PKCS_KEY_PAIR_GEN)
        attributes[CKA_MODULUS] = modulus
        attributes[CKA_PUBLIC_EXPONENT] = publicExponent
        if half == .publicKey { attributes.set(CKA_MODULUS_BITS, CK_ULONG(bits)) }
        return attributes
    }
}

extension TokenECKey {
    fileprivate var description: Attributes {
        var attributes = Attributes(
            half, self, isImported: isImported, keyType: CKK_EC, generation: CKM_EC_KEY_PAIR_GEN)
        attributes.set(CKA_EC_PARAMS, parameters)
        if half == .privateKey { attributes.set(CKA_DERIVE, canDerive) }
        // An uncompressed point in an OCTET STRING (PKCS #11 v2.40 current mechanisms, 2.3.3).
        if let point { attributes.set(CKA_EC_POINT, .object(0x04, [0x04] + point)) }
        return attributes
    }
}

extension TokenCertificate {
    fileprivate var description: Attributes {
        var attributes = Attributes()
        attributes.set(CKA_CLASS, CKO_CERTIFICATE)
        attributes.set(CKA_PRIVATE, annotation.isPrivate)
        attributes.set(CKA_LABEL, label)
        attributes.set(CKA_ID, id)
        attributes.set(CKA_SUBJECT, subject)
        attributes.set(CKA_VALUE, value)
        return attributes
    }
}

extension TokenData {
    fileprivate var description: Attributes {
        var attributes = Attributes()
        attributes.set(CKA_CLASS, CKO_DATA)
        attributes.set(CKA_PRIVATE, isPrivate)
        attributes.set(CKA_LABEL, label)
        attributes.set(CKA_APPLICATION, application)
        attributes.set(CKA_OBJECT_ID, objectIdentifier)
        attributes.set(CKA_VALUE, value)
        return attributes
    }
}
