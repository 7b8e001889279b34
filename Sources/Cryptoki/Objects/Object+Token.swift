// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Token

/// Conversion between the token's objects and those that an application sees.
extension Object {
    init(_ object: TokenObject) throws(CKError) {
        var attributes = try Attributes(describing: object)
        attributes.set(CKA_TOKEN, true)
        attributes.set(CKA_UNIQUE_ID, UniqueID.derived(from: object))
        if object.isForeign {
            attributes.set(CKA_MODIFIABLE, false)
            attributes.set(CKA_DESTROYABLE, false)
        }
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
        for kind in KeyType.allCases.map(\.kind) {
            guard let own = kind.attributes(of: key) else { continue }
            let isImported = key.properties.contains(.imported)
            self = own
            set(CKA_CLASS, key.half == .publicKey ? CKO_PUBLIC_KEY : CKO_PRIVATE_KEY)
            set(CKA_KEY_TYPE, kind.type)
            set(CKA_LOCAL, !isImported)
            set(CKA_KEY_GEN_MECHANISM, isImported ? .unavailable : kind.generation)
            guard key.half == .privateKey else { return [] }
            set(CKA_SENSITIVE, true)
            set(CKA_EXTRACTABLE, false)
            for flag in [CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] { set(flag, !isImported) }
            return kind.secretAttributes
        }
        return []
    }
}

extension TokenObject {
    /// The attributes that only the value of a certificate or data object tells, as long as it was not read.
    var unreadAttributes: Set<CK_ATTRIBUTE_TYPE> {
        guard !isRead else { return [] }
        var types: Set = [CKA_VALUE]
        if case .certificate(let subject, _) = content {
            types.formUnion([CKA_ISSUER, CKA_SERIAL_NUMBER, CKA_PUBLIC_KEY_INFO, CKA_UNIQUE_ID])
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

    /// Takes all attributes: those that have a place of their own, and then the others that do not follow from these.
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
