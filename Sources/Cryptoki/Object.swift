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
    var sessionKey: SessionKey? { if case .session(_, let key) = home { key } else { nil } }
    var isFeatures: Bool { if case .features = home { true } else { false } }
    var session: CK_SESSION_HANDLE? { if case .session(let session, _) = home { session } else { nil } }
}

/// What an application asked for in one of the two templates of a key pair, with the defaults for what it left out.
struct KeyTemplate {
    var isToken: Bool
    var isPrivate: Bool
    var label: [UInt8]
    var id: [UInt8]
    var canSignOrVerify: Bool
    var canDerive: Bool
    /// Asked-for values of further attributes, kept as they came.
    var other: Attributes
}

extension Object {
    /// The object that tells of the token.
    static var features: Object { Object(home: .features, attributes: TokenFeatures.attributes, isPrivate: false) }

    /// The key on a token that `key` describes.
    init(_ key: TokenKey) {
        let template = KeyTemplate(
            isToken: true, isPrivate: key.half == .privateKey, label: key.label, id: key.id, canSignOrVerify: true,
            canDerive: key.canDerive, other: Attributes())
        let parameters = KeyParameters(
            curve: key.curve, gostR3410: key.gostR3410Parameters, gostR3411: key.gostR3411Parameters,
            gost28147: key.gost28147Parameters)
        home = .token(.key(key))
        isPrivate = template.isPrivate
        attributes = Attributes(template, parameters, isLocal: !key.isImported)
        if let value = key.value {
            attributes.becomePublicKey(value)
        } else {
            attributes.becomePrivateKey(isToken: true)
        }
    }

    /// A public key in this process.
    init(publicKey: PublicKey, _ template: KeyTemplate, _ parameters: KeyParameters, session: CK_SESSION_HANDLE) {
        home = .session(session, nil)
        isPrivate = template.isPrivate
        attributes = Attributes(template, parameters, isLocal: true)
        attributes.becomePublicKey(publicKey.bytes)
    }

    /// A private key in this process.
    init(privateKey: SessionKey, _ template: KeyTemplate, _ parameters: KeyParameters, session: CK_SESSION_HANDLE) {
        home = .session(session, privateKey)
        isPrivate = template.isPrivate
        attributes = Attributes(template, parameters, isLocal: true)
        attributes.becomePrivateKey(isToken: false)
    }
}

/// The parameter sets of a key: a curve, and what the three parameter attributes hold.
struct KeyParameters {
    var curve: Curve
    var gostR3410: [UInt8]
    var gostR3411: [UInt8]
    var gost28147: [UInt8]

    var keyType: KeyType { KeyType(curve) }
}

extension Attributes {
    /// The attributes that both halves of a key pair have (PKCS #11 v2.40, 4.4 and 4.7; GOST R 34.10, 2.48.3).
    fileprivate init(_ template: KeyTemplate, _ parameters: KeyParameters, isLocal: Bool) {
        self = template.other
        set(CKA_TOKEN, template.isToken)
        set(CKA_PRIVATE, template.isPrivate)
        set(CKA_MODIFIABLE, true)
        set(CKA_COPYABLE, true)
        set(CKA_DESTROYABLE, true)
        set(CKA_LABEL, template.label)
        set(CKA_ID, template.id)
        set(CKA_KEY_TYPE, parameters.keyType.rawValue)
        set(CKA_DERIVE, template.canDerive)
        set(CKA_LOCAL, isLocal)
        set(CKA_KEY_GEN_MECHANISM, isLocal ? parameters.keyType.keyPairGeneration : .unavailable)
        set(CKA_GOSTR3410_PARAMS, parameters.gostR3410)
        set(CKA_GOSTR3411_PARAMS, parameters.gostR3411)
        set(CKA_GOST28147_PARAMS, parameters.gost28147)
        for date in [CKA_START_DATE, CKA_END_DATE, CKA_SUBJECT] where self[date] == nil { set(date, []) }
        // Public and private halves use the same flag under two names; the other half's does not exist.
        set(CKA_SIGN, template.canSignOrVerify)
        set(CKA_VERIFY, template.canSignOrVerify)
    }

    fileprivate mutating func becomePublicKey(_ value: [UInt8]) {
        set(CKA_CLASS, CKO_PUBLIC_KEY)
        set(CKA_VALUE, value)
        self[CKA_SIGN] = nil
        for flag in [CKA_ENCRYPT, CKA_VERIFY_RECOVER, CKA_WRAP, CKA_TRUSTED] { set(flag, false) }
    }

    fileprivate mutating func becomePrivateKey(isToken: Bool) {
        set(CKA_CLASS, CKO_PRIVATE_KEY)
        self[CKA_VERIFY] = nil
        for flag in [CKA_SENSITIVE, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] { set(flag, true) }
        for flag in [
            CKA_DECRYPT, CKA_SIGN_RECOVER, CKA_UNWRAP, CKA_EXTRACTABLE, CKA_WRAP_WITH_TRUSTED,
            CKA_ALWAYS_AUTHENTICATE,
        ] {
            set(flag, false)
        }
    }
}
