import CCryptoki
import Token

extension Object {
    /// The object that a token keeps so.
    init(_ item: TokenItem) throws(CKError) {
        switch item {
        case .key(let key): self.init(key)
        case .rsaKey(let key): self.init(key)
        case .certificate(let certificate):
            var template = Attributes()
            template.set(CKA_CLASS, CKO_CERTIFICATE)
            template.set(CKA_LABEL, certificate.label)
            template.set(CKA_ID, certificate.id)
            template.set(CKA_SUBJECT, certificate.subject)
            template.set(CKA_VALUE, certificate.value)
            try self.init(item, template, isPrivate: false)
        case .data(let data):
            var template = Attributes()
            template.set(CKA_CLASS, CKO_DATA)
            template.set(CKA_LABEL, data.label)
            template.set(CKA_APPLICATION, data.application)
            template.set(CKA_OBJECT_ID, data.objectIdentifier)
            template.set(CKA_VALUE, data.value)
            try self.init(item, template, isPrivate: data.isPrivate)
        }
    }

    private init(_ item: TokenItem, _ template: Attributes, isPrivate: Bool) throws(CKError) {
        attributes = try AttributeTable(for: template).attributes(from: template)
        attributes.set(CKA_TOKEN, true)
        attributes.set(CKA_PRIVATE, isPrivate)
        if case .certificate = item { attributes.completeCertificate() }
        self.isPrivate = isPrivate
        home = .token(item)
    }

    /// Whether the object has all that was asked for. A certificate's category is no loss: the vendor's programs name
    /// one, and the record says none.
    func keeps(_ asked: Attributes) -> Bool {
        var asked = asked
        asked[CKA_CERTIFICATE_CATEGORY] = nil
        return attributes.matches(asked)
    }

    /// One half of an RSA key pair on the token (PKCS #11 v2.40 current mechanisms, 2.1).
    private init(_ key: TokenRSAKey) {
        home = .token(.rsaKey(key))
        isPrivate = key.half == .privateKey
        attributes = Attributes()
        attributes.set(CKA_TOKEN, true)
        attributes.set(CKA_PRIVATE, isPrivate)
        attributes.set(CKA_MODIFIABLE, true)
        attributes.set(CKA_COPYABLE, true)
        attributes.set(CKA_DESTROYABLE, true)
        attributes.set(CKA_LABEL, key.label)
        attributes.set(CKA_ID, key.id)
        attributes.set(CKA_KEY_TYPE, CKK_RSA)
        attributes.set(CKA_DERIVE, false)
        attributes.set(CKA_LOCAL, !key.isImported)
        attributes.set(CKA_KEY_GEN_MECHANISM, key.isImported ? .unavailable : CKM_RSA_PKCS_KEY_PAIR_GEN)
        for type in [CKA_START_DATE, CKA_END_DATE, CKA_SUBJECT] { attributes.set(type, []) }
        attributes[CKA_MODULUS] = key.modulus
        attributes[CKA_PUBLIC_EXPONENT] = key.publicExponent
        switch key.half {
        case .publicKey: attributes.becomePublicRSAKey(bits: key.bits)
        case .privateKey: attributes.becomePrivateRSAKey()
        }
    }
}

extension Attributes {
    fileprivate mutating func becomePublicRSAKey(bits: Int) {
        set(CKA_CLASS, CKO_PUBLIC_KEY)
        set(CKA_MODULUS_BITS, CK_ULONG(bits))
        for flag in [CKA_ENCRYPT, CKA_VERIFY] { set(flag, true) }
        for flag in [CKA_VERIFY_RECOVER, CKA_WRAP, CKA_TRUSTED] { set(flag, false) }
    }

    fileprivate mutating func becomePrivateRSAKey() {
        set(CKA_CLASS, CKO_PRIVATE_KEY)
        for flag in [CKA_DECRYPT, CKA_SIGN, CKA_SENSITIVE, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] {
            set(flag, true)
        }
        for flag in [CKA_SIGN_RECOVER, CKA_UNWRAP, CKA_EXTRACTABLE, CKA_WRAP_WITH_TRUSTED, CKA_ALWAYS_AUTHENTICATE] {
            set(flag, false)
        }
    }
}
