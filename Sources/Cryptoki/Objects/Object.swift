// SPDX-License-Identifier: Apache-2.0

import APDU
import CCryptoki
import GOST
import Secrets
import Token
import Tokens

/// An object of a token or of a session (PKCS #11 v2.40, 4).
struct Object {
    /// The place where the object lives.
    indirect enum Home {
        /// On the token. An object that the host computes with keeps its value here, while an operation has it.
        case token(TokenObject, SessionKey?)
        /// In this process, until the session is closed. Private and secret keys keep their value here only.
        case session(CK_SESSION_HANDLE, SessionKey?)
        /// Not stored: it describes the token itself.
        case features
        /// Not stored: it describes the library.
        case profile
    }

    var home: Home
    var attributes: Attributes {
        didSet { attributes = attributes.kept(isPrivate: isPrivate) }
    }
    /// Seen by User only.
    let isPrivate: Bool
    /// Of a key in use that wants the PIN for it.
    var authentication: Authentication?
    /// Of a key of the token in use.
    var tokenHandle: CK_OBJECT_HANDLE?

    init(home: Home, attributes: Attributes, isPrivate: Bool) {
        self.home = home
        self.attributes = attributes.kept(isPrivate: isPrivate)
        self.isPrivate = isPrivate
    }

    var tokenObject: TokenObject? { if case .token(let object, _) = home { object } else { nil } }
    var isCertificate: Bool { attributes[CKA_CLASS] == CKO_CERTIFICATE.bytes }
    /// The attributes that are not known before the value is read.
    var unread: Set<CK_ATTRIBUTE_TYPE> { tokenObject?.unreadAttributes ?? [] }
    var sessionKey: SessionKey? {
        switch home {
        case .token(_, let key), .session(_, let key): key
        case .features, .profile: nil
        }
    }
    var isFeatures: Bool { if case .features = home { true } else { false } }
    var isProfile: Bool { if case .profile = home { true } else { false } }
    var session: CK_SESSION_HANDLE? { if case .session(let session, _) = home { session } else { nil } }

    /// Whether a key may be used so, and by this mechanism.
    ///
    /// - Throws: `CKR_KEY_FUNCTION_NOT_PERMITTED`, `CKR_MECHANISM_INVALID`.
    func checkUse(_ permission: CK_ATTRIBUTE_TYPE, by mechanism: CK_MECHANISM_TYPE) throws(CKError) {
        guard try attributes.bool(permission) == true else {
            throw .keyFunctionNotPermitted("the key's \(attribute: permission) is not true")
        }
        guard attributes.allows(mechanism: mechanism) else {
            throw .mechanismInvalid("the key's CKA_ALLOWED_MECHANISMS has no \(mechanism: mechanism)")
        }
    }

    /// The type of a key pair's half; nil for every other object.
    var keyType: KeyType? { attributes.keyType }
}

extension Object {
    /// The object that describes the token.
    static var features: Object { Object(home: .features, attributes: TokenFeatures.attributes, isPrivate: false) }

    /// The objects that describe the library.
    static var profiles: [Object] {
        ConformanceProfile.all.map {
            Object(home: .profile, attributes: ConformanceProfile.attributes($0), isPrivate: false)
        }
    }
}

/// Conversion between the token's objects and those that an application sees.
extension Object {
    init(_ object: TokenObject) throws(CKError) {
        var attributes = try Attributes(describing: object)
        attributes.set(CKA_TOKEN, true)
        attributes.set(CKA_UNIQUE_ID, object.derivedUniqueID)
        if object.isForeign {
            attributes.set(CKA_MODIFIABLE, false)
            attributes.set(CKA_DESTROYABLE, false)
        }
        for (type, value) in object.containerAttributes { attributes.set(type, value) }
        for (type, value) in object.attributes { attributes.set(CK_ATTRIBUTE_TYPE(type), value) }
        attributes.stayIfPrivateKey()
        for type in object.unreadAttributes { attributes[type] = nil }
        let isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        self.init(home: .token(object, nil), attributes: attributes, isPrivate: isPrivate)
    }
}

extension Attributes {
    /// A private key that lives on a token stays there: no copy can be made of it.
    mutating func stayIfPrivateKey() {
        if self[CKA_CLASS] == CKO_PRIVATE_KEY.bytes { set(CKA_COPYABLE, false) }
    }

    /// The attributes that follow from an object's own form, and the defaults; none of a key that the host computes
    /// with.
    fileprivate init(describing object: TokenObject) throws(CKError) {
        self.init()
        var secrets: [CK_ATTRIBUTE_TYPE] = []
        switch object.content {
        case .secretKey, .publicKey: return
        case .key(let key): secrets = describe(key)
        case .certificate(let subject, let value):
            set(CKA_CLASS, CKO_CERTIFICATE)
            set(CKA_SUBJECT, subject)
            self[CKA_VALUE] = value
        case .data(let data):
            set(CKA_CLASS, CKO_DATA)
            set(CKA_APPLICATION, data.application)
            set(CKA_OBJECT_ID, data.objectIdentifier)
            self[CKA_VALUE] = data.value
        }
        set(CKA_LABEL, object.label)
        if self[CKA_CLASS] != CKO_DATA.bytes { set(CKA_ID, object.id) }
        set(CKA_PRIVATE, object.isPrivate)
        self = try AttributeTable(for: self).completed(self)
        if case .certificate = object.content { completeCertificate() }
        // The attributes that the token does not give away.
        for type in secrets { self[type] = nil }
    }

    /// - Returns: The attributes that the token keeps to itself.
    private mutating func describe(_ key: TokenKey) -> [CK_ATTRIBUTE_TYPE] {
        let (kind, isImported) = (key.type.kind, key.properties.contains(.imported))
        for (type, value) in key.attributes { set(type, value) }
        set(CKA_CLASS, key.half == .publicKey ? CKO_PUBLIC_KEY : CKO_PRIVATE_KEY)
        set(CKA_LOCAL, !isImported)
        set(CKA_KEY_GEN_MECHANISM, isImported ? .unavailable : kind.generation)
        guard key.half == .privateKey else { return [] }
        set(CKA_SENSITIVE, true)
        set(CKA_EXTRACTABLE, false)
        for flag in [CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] { set(flag, !isImported) }
        return kind.secretAttributes
    }
}

extension TokenObject {
    /// The attributes that depend on the value of a certificate or data object, as long as it was not read.
    var unreadAttributes: Set<CK_ATTRIBUTE_TYPE> {
        guard !isRead else { return [] }
        var types: Set = [CKA_VALUE]
        if case .certificate(let subject, _) = content {
            types.formUnion([CKA_ISSUER, CKA_SERIAL_NUMBER, CKA_PUBLIC_KEY_INFO, CKA_UNIQUE_ID, CKA_CHECK_VALUE])
            if subject.isEmpty { types.insert(CKA_SUBJECT) }
        }
        return types.subtracting(attributes.keys.map { CK_ATTRIBUTE_TYPE($0) })
    }

    /// A new object; nil for private keys, which have files of their own.
    init?(_ attributes: Attributes) throws(CKError) {
        let content: Content
        switch try attributes.number(CKA_CLASS) {
        case CKO_CERTIFICATE:
            content = .certificate(subject: attributes[CKA_SUBJECT] ?? [], value: attributes[CKA_VALUE] ?? [])
        case CKO_DATA: content = .data(TokenData(value: []))
        case CKO_PUBLIC_KEY: content = .publicKey
        case CKO_SECRET_KEY: content = .secretKey(valueFile: 0)
        default: return nil
        }
        self.init(content, isPrivate: try attributes.bool(CKA_PRIVATE) ?? false)
        try take(attributes)
    }

    /// Copies all attributes: first each with a place of its own, and then the others that do not follow from these.
    /// An object's unique identifier is not copied.
    mutating func take(_ taken: Attributes) throws(CKError) {
        switch content {
        case .secretKey, .publicKey: break
        case .data:
            label = taken[CKA_LABEL] ?? []
            content = .data(
                TokenData(
                    application: taken[CKA_APPLICATION] ?? [], objectIdentifier: taken[CKA_OBJECT_ID] ?? [],
                    value: taken[CKA_VALUE] ?? []))
        case .key, .certificate: (label, id) = (taken[CKA_LABEL] ?? [], taken[CKA_ID] ?? [])
        }
        attributes = [:]
        let shown = try Object(self).attributes
        for type in taken.types where taken[type] != shown[type] && type != CKA_UNIQUE_ID {
            guard let number = UInt32(exactly: type) else {
                throw .attributeTypeInvalid("\(attribute: type) has no place on a token")
            }
            attributes[number] = taken[type]
        }
    }

    /// Keeps the identifier of an object that gets another record.
    mutating func keepUniqueID(of kept: Attributes) { attributes[UInt32(CKA_UNIQUE_ID)] = kept[CKA_UNIQUE_ID] }
}

/// The profiles that the library meets (PKCS #11 Profiles v3.0, 3), as objects that no token keeps (v3.0, 4.12). The last
/// depends on what the token keeps, and is only found while it is met.
enum ConformanceProfile {
    static let all = [
        CKP_BASELINE_PROVIDER, CKP_EXTENDED_PROVIDER, CKP_AUTHENTICATION_TOKEN, CKP_PUBLIC_CERTIFICATES_TOKEN,
    ]

    static func attributes(_ profile: CK_ULONG) -> Attributes {
        var attributes = Attributes()
        attributes.set(CKA_CLASS, CKO_PROFILE)
        attributes.set(CKA_PROFILE_ID, profile)
        attributes.set(CKA_UNIQUE_ID, UniqueID.derived(from: [Array("profile".utf8), profile.bytes]))
        attributes.set(CKA_LABEL, [])
        attributes.set(CKA_TOKEN, true)
        for type in [CKA_PRIVATE, CKA_MODIFIABLE, CKA_COPYABLE, CKA_DESTROYABLE] { attributes.set(type, false) }
        return attributes
    }
}

extension Slot {
    /// Public Certificates Token where the token does not meet it, or may not: otherwise every program may read its
    /// certificates without a login, and finds the key of each by `CKA_ID`. NSS asks for no PIN to show the certificates of
    /// such a token.
    ///
    /// Reads the certificates that are not read yet.
    func unmetProfile() throws(CKError) -> CK_ULONG? {
        let areShown = try withToken { token throws(TokenError) in token.showsEveryCertificate }
        let isMet = areShown ? try certificatesShareIdentifiers() : false
        return isMet ? nil : CKP_PUBLIC_CERTIFICATES_TOKEN
    }
}
