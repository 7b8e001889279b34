import CCryptoki
import Token

/// Something that a token keeps.
enum TokenItem: Equatable {
    case key(TokenKey)
    case rsaKey(TokenRSAKey)
    case ecKey(TokenECKey)
    case certificate(TokenCertificate)
    case data(TokenData)
    case storedKey(TokenStoredKey)

    /// Everything on a token.
    static func items(of objects: TokenObjects) -> [TokenItem] {
        objects.keys.map { .key($0) } + objects.rsaKeys.map { .rsaKey($0) }
            + objects.ecKeys.map { .ecKey($0) } + objects.certificates.map { .certificate($0) }
            + objects.data.map { .data($0) }
            + objects.storedKeys.map { .storedKey($0) }
    }

    /// Whether it is a key pair of GOST R 34.10.
    var isGOSTKey: Bool { if case .key = self { true } else { false } }

    /// Whether OpenSC's format describes it, which Kanal does not write.
    var isForeign: Bool {
        switch self {
        case .key(let key): key.isForeign
        case .rsaKey(let key): key.isForeign
        case .certificate(let certificate): certificate.isForeign
        case .data(let data): data.isForeign
        case .ecKey, .storedKey: false
        }
    }

    /// Attributes that have no other place on the token.
    var kept: [UInt32: [UInt8]] {
        get {
            switch self {
            case .key(let key): key.annotation.attributes
            case .rsaKey(let key): key.annotation.attributes
            case .ecKey(let key): key.annotation.attributes
            case .certificate(let certificate): certificate.annotation.attributes
            case .data(let data): data.attributes
            case .storedKey(let key): key.attributes
            }
        }
        set {
            switch self {
            case .key(var key):
                key.annotation.attributes = newValue
                self = .key(key)
            case .rsaKey(var key):
                key.annotation.attributes = newValue
                self = .rsaKey(key)
            case .ecKey(var key):
                key.annotation.attributes = newValue
                self = .ecKey(key)
            case .certificate(var certificate):
                certificate.annotation.attributes = newValue
                self = .certificate(certificate)
            case .data(var data):
                data.attributes = newValue
                self = .data(data)
            case .storedKey(var key):
                key.attributes = newValue
                self = .storedKey(key)
            }
        }
    }
}

extension TokenItem {
    /// What would keep a new object; nil for private keys, which have files of their own.
    init?(_ attributes: Attributes) throws(CKError) {
        let isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        switch try attributes.number(CKA_CLASS) {
        case CKO_CERTIFICATE:
            var certificate = TokenCertificate(
                label: [], id: [], subject: attributes[CKA_SUBJECT] ?? [], value: attributes[CKA_VALUE] ?? [])
            certificate.annotation.isPrivate = isPrivate
            self = .certificate(certificate)
        case CKO_DATA: self = .data(TokenData(label: [], value: [], isPrivate: isPrivate))
        case CKO_PUBLIC_KEY:
            self = .storedKey(TokenStoredKey(kind: .publicKey, isPrivate: isPrivate, attributes: [:]))
        case CKO_SECRET_KEY:
            self = .storedKey(TokenStoredKey(kind: .secretKey, isPrivate: isPrivate, attributes: [:]))
        default: return nil
        }
        try take(attributes)
    }

    /// Takes all attributes: those that have a place of their own, and then whatever else does not follow from these. The
    /// identifier of an object is not taken by another one.
    mutating func take(_ attributes: Attributes) throws(CKError) {
        let label = attributes[CKA_LABEL] ?? []
        let id = attributes[CKA_ID] ?? []
        switch self {
        case .key(var key):
            (key.label, key.id) = (label, id)
            self = .key(key)
        case .rsaKey(var key):
            (key.label, key.id) = (label, id)
            self = .rsaKey(key)
        case .ecKey(var key):
            (key.label, key.id) = (label, id)
            self = .ecKey(key)
        case .certificate(var certificate):
            (certificate.label, certificate.id) = (label, id)
            self = .certificate(certificate)
        case .data(var data):
            data.label = label
            data.application = attributes[CKA_APPLICATION] ?? []
            data.objectIdentifier = attributes[CKA_OBJECT_ID] ?? []
            data.value = attributes[CKA_VALUE] ?? []
            self = .data(data)
        case .storedKey: break
        }
        kept = [:]
        let shown = try Object(self).attributes
        for type in attributes.types where attributes[type] != shown[type] && type != CKA_UNIQUE_ID {
            guard let number = UInt32(exactly: type) else {
                throw .attributeTypeInvalid("\(attribute: type) has no place on a token")
            }
            kept[number] = attributes[type]
        }
    }
}

extension TokenItem {
    /// Keeps the identifier of an object that gets another record.
    mutating func keepUniqueID(of attributes: Attributes) { kept[UInt32(CKA_UNIQUE_ID)] = attributes[CKA_UNIQUE_ID] }
}

extension Token {
    /// Changes what the token says of an object. Needs User's login.
    func change(_ item: TokenItem, to changed: TokenItem) throws(TokenError) -> TokenItem {
        switch (item, changed) {
        case (.key(let key), .key(let changed)): .key(try change(key, to: changed))
        case (.rsaKey(let key), .rsaKey(let changed)): .rsaKey(try change(key, to: changed))
        case (.ecKey(let key), .ecKey(let changed)): .ecKey(try change(key, to: changed))
        case (.certificate(let certificate), .certificate(let changed)):
            .certificate(try change(certificate, to: changed))
        case (.data(let data), .data(let changed)): .data(try change(data, to: changed))
        case (.storedKey(let key), .storedKey(let changed)): .storedKey(try change(key, to: changed))
        default: throw .unsupported
        }
    }

    /// Deletes what the token keeps. Needs User's login.
    func delete(_ item: TokenItem) throws(TokenError) {
        switch item {
        case .key(let key): try delete(key)
        case .rsaKey(let key): try delete(key)
        case .ecKey(let key): try delete(key)
        case .certificate(let certificate): try delete(certificate)
        case .data(let data): try delete(data)
        case .storedKey(let key): try delete(key)
        }
    }
}
