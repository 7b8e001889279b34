public import CCryptoki
import Token

extension Session {
    /// Makes an object of what the application has: a key, a certificate or data.
    public func createObject(_ template: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        let attributes = try AttributeTable(for: template).attributes(from: template)
        try checkRights(attributes)
        if try attributes.bool(CKA_TOKEN) == true { return try store(attributes, asked: template) }
        return slot.objects.insert(try Object(creating: attributes, session: handle))
    }

    /// Copies an object. A private key of the token stays there alone.
    public func copyObject(_ original: CK_OBJECT_HANDLE, _ template: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        let object = try slot.visibleObject(original)
        guard !object.isFeatures, try object.attributes.bool(CKA_COPYABLE) != false else { throw .actionProhibited }
        let objectClass = try object.attributes.number(CKA_CLASS)
        guard object.tokenItem == nil || objectClass != CKO_PRIVATE_KEY else { throw .actionProhibited }
        let attributes = try AttributeTable(for: object.attributes).changing(
            object.attributes, by: template, inCopy: true)
        try checkRights(attributes)
        let isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        guard isPrivate || !object.isPrivate else { throw .templateInconsistent }
        if try attributes.bool(CKA_TOKEN) == true { return try store(attributes, asked: attributes) }
        return slot.objects.insert(
            Object(home: .session(handle, object.sessionKey), attributes: attributes, isPrivate: isPrivate))
    }

    /// Changes attributes of an object: all of them, or none.
    public func setAttributes(of object: CK_OBJECT_HANDLE, _ template: Attributes) throws(CKError) {
        var changed = try slot.visibleObject(object)
        guard !changed.isFeatures, try changed.attributes.bool(CKA_MODIFIABLE) != false else { throw .actionProhibited }
        guard isReadWrite || changed.tokenItem == nil else { throw .sessionReadOnly }
        guard changed.tokenItem?.isKey != true else { throw .actionProhibited }
        let attributes = try AttributeTable(for: changed.attributes).changing(
            changed.attributes, by: template, inCopy: false)
        if let item = changed.tokenItem {
            changed = try replace(item, attributes, asked: template)
        } else {
            changed.attributes = attributes
        }
        try slot.objects.replace(object, with: changed)
    }

    /// The octets that an object's attributes take.
    public func objectSize(_ handle: CK_OBJECT_HANDLE) throws(CKError) -> CK_ULONG {
        let attributes = try slot.visibleObject(handle).attributes
        return CK_ULONG(attributes.types.reduce(0) { $0 + (attributes[$1]?.count ?? 0) })
    }

    /// Whether this session may make an object with these attributes.
    private func checkRights(_ attributes: Attributes) throws(CKError) {
        let isToken = try attributes.bool(CKA_TOKEN) == true
        let isPrivate = try attributes.bool(CKA_PRIVATE) == true
        guard isReadWrite || !isToken else { throw .sessionReadOnly }
        guard slot.login == .user || !isPrivate else { throw .userNotLoggedIn }
    }

    /// Stores a new object on the token.
    ///
    /// - Throws: `CKR_TEMPLATE_INCONSISTENT` if it has no place for what was asked for.
    private func store(_ attributes: Attributes, asked: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        guard let item = TokenItem(attributes), try Object(item).keeps(asked) else { throw .templateInconsistent }
        let stored = try slot.withToken { token throws(TokenError) in try token.store(item) }
        return slot.objects.insert(try Object(stored))
    }

    /// Stores an object of the token anew, and then deletes what was there.
    ///
    /// - Throws: `CKR_ACTION_PROHIBITED` for a key; `CKR_ATTRIBUTE_READ_ONLY` for what the token has no place for.
    private func replace(_ item: TokenItem, _ attributes: Attributes, asked: Attributes) throws(CKError) -> Object {
        guard let changed = TokenItem(attributes) else { throw .actionProhibited }
        guard try Object(changed).keeps(asked) else { throw .attributeReadOnly }
        let stored = try slot.withToken { token throws(TokenError) in
            let stored = try token.store(changed)
            try token.delete(item)
            return stored
        }
        return try Object(stored)
    }
}
