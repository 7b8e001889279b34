// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Secrets
import Token

extension Session {
    /// Makes an object of the application's data: a key, a certificate or data.
    package func createObject(_ template: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        let attributes = try AttributeTable(for: template).attributes(from: template)
        try checkRights(attributes)
        return try insert(Object(creating: attributes, session: handle))
    }

    /// Copies an object. A private key of the token stays there alone.
    package func copyObject(_ original: CK_OBJECT_HANDLE, _ template: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        let object = try slot.visibleObject(original, knowing: nil)
        guard !object.isFeatures, try object.attributes.bool(CKA_COPYABLE) != false else {
            throw .actionProhibited("the object's CKA_COPYABLE is false")
        }
        let objectClass = try object.attributes.number(CKA_CLASS)
        guard object.tokenObject == nil || objectClass != CKO_PRIVATE_KEY else {
            throw .actionProhibited("a private key of the token cannot be copied")
        }
        let attributes = try AttributeTable(for: object.attributes).changing(
            object.attributes, by: template, inCopy: true, byOfficer: isOfficers)
        try checkRights(attributes)
        let isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        guard isPrivate || !object.isPrivate else {
            throw .templateInconsistent("\(template.place(of: CKA_PRIVATE)) cannot become false in a copy")
        }
        let key = try slot.loaded(object).sessionKey
        return try enter(Object(home: .session(handle, key), attributes: attributes, isPrivate: isPrivate))
    }

    /// Changes attributes of an object: all of them, or none.
    package func setAttributes(of object: CK_OBJECT_HANDLE, _ template: Attributes) throws(CKError) {
        var changed = try slot.visibleObject(object, knowing: nil)
        guard !changed.isFeatures, try changed.attributes.bool(CKA_MODIFIABLE) != false else {
            throw .actionProhibited("the object's CKA_MODIFIABLE is false")
        }
        guard isReadWrite || changed.tokenObject == nil else {
            throw .sessionReadOnly("an object of the token is to be changed")
        }
        // A trusted certificate cannot be modified (PKCS #11 v2.40, 4.6.2).
        guard try changed.attributes.number(CKA_CLASS) != CKO_CERTIFICATE || changed.attributes[CKA_TRUSTED] != [1]
        else {
            throw .actionProhibited("a certificate whose CKA_TRUSTED is true cannot be changed")
        }
        var template = template
        let newValue = template.takeNewValue(of: changed)
        let attributes = try AttributeTable(for: changed.attributes).changing(
            changed.attributes, by: template, inCopy: false, byOfficer: isOfficers)
        if let newValue {
            changed = try changed.replacing(newValue, attributes)
            return try slot.objects.replace(object, with: changed)
        }
        guard attributes != changed.attributes else { return }
        if let present = changed.tokenObject {
            changed = try change(present, to: attributes)
        } else {
            changed.attributes = attributes
        }
        try slot.objects.replace(object, with: changed)
    }

    /// The number of bytes of an object's attributes.
    package func objectSize(_ handle: CK_OBJECT_HANDLE) throws(CKError) -> CK_ULONG {
        let object = try slot.visibleObject(handle, knowing: nil)
        let attributes = try slot.withPublicKeyInfo(object.attributes, of: object)
        return CK_ULONG(attributes.types.reduce(0) { $0 + (attributes[$1]?.count ?? 0) })
    }

    /// Enters a new object: on the token, if it is to live there.
    func insert(_ object: Object) throws(CKError) -> CK_OBJECT_HANDLE {
        try checkTrust(object.attributes)
        return try enter(object)
    }

    /// - Throws: `CKR_ATTRIBUTE_READ_ONLY` for objects that only the SO may mark as trusted.
    func checkTrust(_ attributes: Attributes) throws(CKError) {
        guard isOfficers || attributes[CKA_TRUSTED] != [1] else {
            throw .attributeReadOnly("\(attributes.place(of: CKA_TRUSTED)) can be set by the SO only")
        }
    }

    private func enter(_ object: Object) throws(CKError) -> CK_OBJECT_HANDLE {
        try checkRights(object.attributes)
        guard try object.attributes.bool(CKA_TOKEN) == true else { return try slot.insertSessionObject(object) }
        return slot.objects.insert(try store(object))
    }

    private var isOfficers: Bool { slot.login == .securityOfficer }

    /// Whether this session may make an object with these attributes.
    private func checkRights(_ attributes: Attributes) throws(CKError) {
        let isToken = try attributes.bool(CKA_TOKEN) == true
        let isPrivate = try attributes.bool(CKA_PRIVATE) == true
        guard isReadWrite || !isToken else {
            throw .sessionReadOnly("\(attributes.place(of: CKA_TOKEN)) is true")
        }
        guard slot.login == .user || !isPrivate else {
            throw .userNotLoggedIn("\(attributes.place(of: CKA_PRIVATE)) is true, for which User must be logged in")
        }
    }

    /// Stores an object on the token.
    private func store(_ object: Object) throws(CKError) -> Object {
        guard let new = try TokenObject(object.attributes) else {
            guard let key = object.sessionKey else {
                throw .templateInconsistent("objects of this class cannot live on the token")
            }
            return try storePrivateKey(key, object.attributes)
        }
        let value = try object.sessionKey?.secret() ?? Secret(count: 0)
        let stored = try slot.withToken { token throws(TokenError) in try token.store(new, value: value) }
        return try Object(stored)
    }

    private func change(_ object: TokenObject, to attributes: Attributes) throws(CKError) -> Object {
        // Whether a key agrees on secrets is settled when its file is made.
        if let key = object.key, key.half == .privateKey, !key.properties.contains(.derives), attributes.agrees,
            try attributes.keyPairKind().settlesAgreement
        {
            throw .attributeReadOnly("CKA_DERIVE and CKA_UNWRAP of a key of the token are settled when it is made")
        }
        var changed = object
        try changed.take(attributes)
        changed.keepUniqueID(of: attributes)
        let wanted = changed
        let stored = try slot.withToken { token throws(TokenError) in try token.change(object, to: wanted) }
        return try Object(stored)
    }
}
