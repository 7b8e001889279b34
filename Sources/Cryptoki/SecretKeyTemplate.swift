import CCryptoki
import GOST
import Secrets

/// What an application asked for in the template of a secret key, with the defaults for what it left out.
struct SecretKeyTemplate {
    var keyType: SecretKeyType
    var attributes = Attributes()
    /// The octets that it asks for.
    var count: Int?

    private static let permissions = [
        CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN, CKA_VERIFY, CKA_WRAP, CKA_UNWRAP, CKA_DERIVE,
    ]
    private static let known: Set<CK_ATTRIBUTE_TYPE> = [
        CKA_CLASS, CKA_KEY_TYPE, CKA_TOKEN, CKA_PRIVATE, CKA_VALUE_LEN, CKA_GOST28147_PARAMS, CKA_SENSITIVE,
        CKA_EXTRACTABLE, CKA_MODIFIABLE, CKA_COPYABLE, CKA_DESTROYABLE, CKA_WRAP_WITH_TRUSTED,
    ]
    private static let readOnly: Set<CK_ATTRIBUTE_TYPE> = [
        CKA_VALUE, CKA_LOCAL, CKA_KEY_GEN_MECHANISM, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE, CKA_TRUSTED,
    ]

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - keyTypes: The types that the key can have. The first is that of a key whose template names none.
    ///   - origin: What makes the key; nil for keys that come from outside.
    init(
        _ template: Attributes, keyTypes: [SecretKeyType], madeBy origin: CK_MECHANISM_TYPE?, isLocal: Bool
    ) throws(CKError) {
        guard try template.number(CKA_CLASS) ?? CKO_SECRET_KEY == CKO_SECRET_KEY else { throw .templateInconsistent }
        guard var type = keyTypes.first else { throw .templateInconsistent }
        if let asked = try template.number(CKA_KEY_TYPE) {
            guard let known = keyTypes.first(where: { $0.rawValue == asked }) else { throw .templateInconsistent }
            type = known
        }
        keyType = type
        try read(template)
        attributes.set(CKA_LOCAL, isLocal)
        attributes.set(CKA_KEY_GEN_MECHANISM, origin ?? .unavailable)
        // What was not made here was once elsewhere.
        let isSensitive = try attributes.bool(CKA_SENSITIVE) ?? false
        let isExtractable = try attributes.bool(CKA_EXTRACTABLE) ?? true
        attributes.set(CKA_ALWAYS_SENSITIVE, isLocal && isSensitive)
        attributes.set(CKA_NEVER_EXTRACTABLE, isLocal && !isExtractable)
    }

    private mutating func read(_ template: Attributes) throws(CKError) {
        for type in template.types where Self.readOnly.contains(type) { throw .attributeReadOnly }
        for type in template.types where !Self.known.contains(type) && !Self.permissions.contains(type) {
            guard [CKA_LABEL, CKA_ID, CKA_START_DATE, CKA_END_DATE].contains(type) else { throw .attributeTypeInvalid }
        }
        attributes.set(CKA_CLASS, CKO_SECRET_KEY)
        attributes.set(CKA_KEY_TYPE, keyType.rawValue)
        attributes.set(CKA_TOKEN, try template.bool(CKA_TOKEN) ?? false)
        for type in [CKA_LABEL, CKA_ID, CKA_START_DATE, CKA_END_DATE] { attributes.set(type, template[type] ?? []) }
        let defaults: [(CK_ATTRIBUTE_TYPE, Bool)] = [
            (CKA_PRIVATE, true), (CKA_SENSITIVE, false), (CKA_EXTRACTABLE, true), (CKA_MODIFIABLE, true),
            (CKA_COPYABLE, true), (CKA_DESTROYABLE, true), (CKA_WRAP_WITH_TRUSTED, false), (CKA_TRUSTED, false),
        ]
        for (type, value) in defaults { attributes.set(type, try template.bool(type) ?? value) }
        for type in Self.permissions { attributes.set(type, try template.bool(type) ?? true) }
        count = try template.number(CKA_VALUE_LEN).map { Int(clamping: $0) }
        if keyType == .gost28147 {
            let parameters = template[CKA_GOST28147_PARAMS] ?? SBox.tc26Z.oid
            guard SBox.all.contains(where: { $0.oid == parameters }) else { throw .domainParametersInvalid }
            attributes.set(CKA_GOST28147_PARAMS, parameters)
        } else if template[CKA_GOST28147_PARAMS] != nil {
            throw .templateInconsistent
        }
    }

    /// The octets of a new key.
    ///
    /// - Throws: `CKR_TEMPLATE_INCOMPLETE` or `CKR_KEY_SIZE_RANGE` for a key whose length is not told, or out of range;
    ///   `CKR_TEMPLATE_INCONSISTENT` where all keys of the type have another.
    func size() throws(CKError) -> Int {
        if let size = keyType.size {
            guard count ?? size == size else { throw .templateInconsistent }
            return size
        }
        guard let count else { throw .templateIncomplete }
        guard keyType.allows(count), keyType != .generic || SecretKeyType.genericSizes.contains(count) else {
            throw .keySizeRange
        }
        return count
    }

    /// The key with its value.
    func object(_ value: consuming Secret, session: CK_SESSION_HANDLE) throws(CKError) -> Object {
        var attributes = attributes
        attributes.set(CKA_VALUE_LEN, CK_ULONG(value.count))
        return Object(
            home: .session(session, SessionKey(value)), attributes: attributes,
            isPrivate: try attributes.bool(CKA_PRIVATE) ?? true)
    }
}

extension Object {
    /// A secret key's value.
    func secretValue() throws(CKError) -> Secret {
        guard let key = sessionKey else { throw .keyHandleInvalid }
        return try key.secret()
    }

    /// The substitution of a key of GOST 28147-89.
    var sBox: SBox {
        let parameters = attributes[CKA_GOST28147_PARAMS]
        return SBox.all.first { $0.oid == parameters } ?? .tc26Z
    }
}
