public import CCryptoki
import Token

extension Session {
    /// Makes an object of what the application has: a key, a certificate or data.
    public func createObject(_ template: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        let attributes = try AttributeTable(for: template).attributes(from: template)
        let object = try Object(creating: attributes, session: handle)
        try requireHome(attributes)
        return slot.objects.insert(object)
    }

    /// Copies an object into this session. A key on the token whose value cannot be read stays there alone.
    public func copyObject(_ original: CK_OBJECT_HANDLE, _ template: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        let object = try slot.visibleObject(original)
        guard !object.isFeatures, try object.attributes.bool(CKA_COPYABLE) != false else { throw .actionProhibited }
        var attributes = try AttributeTable(for: object.attributes).changing(
            object.attributes, by: template, inCopy: true)
        // A copy of a token's object is on the token too, unless the template says otherwise.
        try requireHome(attributes)
        guard object.tokenKey?.half != .privateKey else { throw .actionProhibited }
        let isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        guard isPrivate || !object.isPrivate else { throw .templateInconsistent }
        // The copy was not made by the mechanism that made its original, but it is as local (PKCS #11 v2.40, 4.4).
        attributes.set(CKA_TOKEN, false)
        return slot.objects.insert(
            Object(home: .session(handle, object.sessionKey), attributes: attributes, isPrivate: isPrivate))
    }

    /// Changes attributes of an object: all of them, or none.
    public func setAttributes(of object: CK_OBJECT_HANDLE, _ template: Attributes) throws(CKError) {
        var changed = try slot.visibleObject(object)
        guard changed.session != nil, try changed.attributes.bool(CKA_MODIFIABLE) != false else {
            // Nothing on the token can be changed, nor what the token says of itself.
            throw changed.tokenKey != nil && !isReadWrite ? CKError.sessionReadOnly : .actionProhibited
        }
        changed.attributes = try AttributeTable(for: changed.attributes).changing(
            changed.attributes, by: template, inCopy: false)
        try slot.objects.replace(object, with: changed)
    }

    /// The octets that an object's attributes take.
    public func objectSize(_ handle: CK_OBJECT_HANDLE) throws(CKError) -> CK_ULONG {
        let attributes = try slot.visibleObject(handle).attributes
        return CK_ULONG(attributes.types.reduce(0) { $0 + (attributes[$1]?.count ?? 0) })
    }

    /// Whether this session may make an object with these attributes, and there is a place for it.
    private func requireHome(_ attributes: Attributes) throws(CKError) {
        let isToken = try attributes.bool(CKA_TOKEN) == true
        guard isReadWrite || !isToken else { throw .sessionReadOnly }
        let isPrivate = try attributes.bool(CKA_PRIVATE) == true
        guard slot.login == .user || !isPrivate else { throw .userNotLoggedIn }
        guard !isToken else { throw .templateInconsistent }
    }
}
