import CCryptoki
import GOST
import Token

/// An object of a token or of a session (PKCS #11 v2.40, 4).
struct Object {
    /// Where the object lives.
    enum Home {
        case token(TokenItem)
        /// In this process, until the session is closed. Private and secret keys keep their value here only.
        case session(CK_SESSION_HANDLE, SessionKey?)
        /// Nowhere: it tells of the token itself.
        case features
    }

    var home: Home
    var attributes: Attributes
    /// Seen by User only.
    var isPrivate: Bool

    var tokenItem: TokenItem? { if case .token(let item) = home { item } else { nil } }
    var tokenKey: TokenKey? { if case .token(.key(let key)) = home { key } else { nil } }
    var tokenRSAKey: TokenRSAKey? { if case .token(.rsaKey(let key)) = home { key } else { nil } }
    var sessionKey: SessionKey? { if case .session(_, let key) = home { key } else { nil } }
    var isFeatures: Bool { if case .features = home { true } else { false } }
    var session: CK_SESSION_HANDLE? { if case .session(let session, _) = home { session } else { nil } }

    /// The type of a key pair's half; nil for every other object.
    var keyType: KeyType? { (try? attributes.number(CKA_KEY_TYPE)).flatMap { KeyType($0) } }
}

extension Object {
    /// The object that tells of the token.
    static var features: Object { Object(home: .features, attributes: TokenFeatures.attributes, isPrivate: false) }

    /// The key on a token that `key` describes (PKCS #11 v2.40, 4.4 and 4.7; GOST R 34.10, 2.48.3).
    init(_ key: TokenKey) {
        home = .token(.key(key))
        isPrivate = key.half == .privateKey
        attributes = Attributes()
        attributes.set(CKA_TOKEN, true)
        attributes.set(CKA_PRIVATE, isPrivate)
        for type in [CKA_MODIFIABLE, CKA_COPYABLE, CKA_DESTROYABLE] { attributes.set(type, true) }
        attributes.set(CKA_LABEL, key.label)
        attributes.set(CKA_ID, key.id)
        attributes.set(
            KeyParameters(
                curve: key.curve, gostR3410: key.gostR3410Parameters, gostR3411: key.gostR3411Parameters,
                gost28147: key.gost28147Parameters))
        attributes.set(CKA_DERIVE, key.canDerive)
        attributes.set(CKA_LOCAL, !key.isImported)
        attributes.set(CKA_KEY_GEN_MECHANISM, key.isImported ? .unavailable : KeyType(key.curve).keyPairGeneration)
        for type in [CKA_START_DATE, CKA_END_DATE, CKA_SUBJECT] { attributes.set(type, []) }
        switch key.half {
        case .publicKey: attributes.becomePublicKey(key.value)
        case .privateKey: attributes.becomePrivateKey()
        }
    }
}

extension Attributes {
    fileprivate mutating func becomePublicKey(_ value: [UInt8]?) {
        set(CKA_CLASS, CKO_PUBLIC_KEY)
        self[CKA_VALUE] = value
        set(CKA_VERIFY, true)
        for flag in [CKA_ENCRYPT, CKA_VERIFY_RECOVER, CKA_WRAP, CKA_TRUSTED] { set(flag, false) }
    }

    fileprivate mutating func becomePrivateKey() {
        set(CKA_CLASS, CKO_PRIVATE_KEY)
        for flag in [CKA_SIGN, CKA_SENSITIVE, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] { set(flag, true) }
        for flag in [
            CKA_DECRYPT, CKA_SIGN_RECOVER, CKA_UNWRAP, CKA_EXTRACTABLE, CKA_WRAP_WITH_TRUSTED,
            CKA_ALWAYS_AUTHENTICATE,
        ] {
            set(flag, false)
        }
    }
}
