// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Token

/// An object of a token or of a session (PKCS #11 v2.40, 4).
struct Object {
    /// The place where the object lives.
    indirect enum Home {
        /// On the token. An object that the host computes with keeps its value here, while an operation has it.
        case token(TokenObject, SessionKey?)
        /// In this process, until the session is closed. Private and secret keys keep their value here only.
        case session(CK_SESSION_HANDLE, SessionKey?)
        /// Nowhere: it tells of the token itself.
        case features
        /// Nowhere: it tells of the library.
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
        guard attributes.allows(mechanism) else {
            throw .mechanismInvalid("the key's CKA_ALLOWED_MECHANISMS has no \(mechanism: mechanism)")
        }
    }

    /// The type of a key pair's half; nil for every other object.
    var keyType: KeyType? { (try? attributes.number(CKA_KEY_TYPE)).flatMap { KeyType($0) } }
}

extension Object {
    /// The object that tells of the token.
    static var features: Object { Object(home: .features, attributes: TokenFeatures.attributes, isPrivate: false) }

    /// The objects that tell of the library.
    static var profiles: [Object] {
        ConformanceProfile.all.map {
            Object(home: .profile, attributes: ConformanceProfile.attributes($0), isPrivate: false)
        }
    }
}

extension Attributes {
    /// Whether `CKA_ALLOWED_MECHANISMS` has a mechanism. An empty list allows all.
    fileprivate func allows(_ mechanism: CK_MECHANISM_TYPE) -> Bool {
        guard let list = self[CKA_ALLOWED_MECHANISMS], !list.isEmpty else { return true }
        let number = mechanism.bytes
        return stride(from: 0, to: list.count, by: number.count).contains { list.dropFirst($0).starts(with: number) }
    }
}
