// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Token

extension Session {
    /// The attributes of an object.
    ///
    /// - Parameter types: The types that are wanted; nil for all. A value is read only if it is wanted, or attributes
    ///   that follow from it, and a key's `CKA_PUBLIC_KEY_INFO` computed.
    /// - Throws: `CKR_OBJECT_HANDLE_INVALID` if the session sees no such object.
    package func attributes(
        of handle: CK_OBJECT_HANDLE, types: [CK_ATTRIBUTE_TYPE]? = nil
    ) throws(CKError) -> Attributes {
        let object = try slot.visibleObject(handle, knowing: types)
        guard !object.isFeatures else {
            return try slot.withToken { token throws(TokenError) in try TokenFeatures.attributes(of: token) }
        }
        var attributes = object.attributes
        let isValueWanted = types.map { !Attributes.secrets.isDisjoint(with: $0) } ?? true
        if isValueWanted, attributes.showsValue { attributes = try slot.loaded(object).shownAttributes() }
        guard types?.contains(CKA_PUBLIC_KEY_INFO) ?? true else { return attributes }
        return try slot.withPublicKeyInfo(attributes, of: object)
    }

    /// Whether an attribute exists but may not be read: a secret number of a private or secret key that is sensitive or
    /// cannot be extracted.
    package static func isSensitive(_ type: CK_ATTRIBUTE_TYPE, in attributes: Attributes) -> Bool {
        guard !attributes.showsValue else { return false }
        switch try? attributes.number(CKA_CLASS) {
        case CKO_PRIVATE_KEY:
            let keyType = (try? attributes.number(CKA_KEY_TYPE)).flatMap { KeyType($0) }
            return keyType?.kind.secretAttributes.contains(type) == true
        case CKO_SECRET_KEY: return type == CKA_VALUE
        default: return false
        }
    }

    /// Destroys an object.
    package func destroyObject(_ handle: CK_OBJECT_HANDLE) throws(CKError) {
        let object = try slot.visibleObject(handle)
        guard !object.isFeatures, try object.attributes.bool(CKA_DESTROYABLE) != false else {
            throw .actionProhibited("the object's CKA_DESTROYABLE is false")
        }
        if let item = object.tokenObject {
            guard isReadWrite else { throw .sessionReadOnly("an object of the token is to be destroyed") }
            guard slot.login == .user else { throw .userNotLoggedIn("only User destroys objects of the token") }
            try slot.withToken { token throws(TokenError) in try token.delete(item) }
        }
        try slot.objects.remove(handle)
    }
}

extension Slot {
    /// The objects that the present login may see and that match a template, oldest first. Hardware features are found
    /// only by a template with their class (PKCS #11 v2.40, 4.3.1). So are profiles, or by their number: programs older
    /// than version 3.0 do not know them.
    func visibleObjects(matching template: Attributes) throws(CKError) -> [CK_OBJECT_HANDLE] {
        let objectClass = try template.number(CKA_CLASS)
        let wantsFeatures = objectClass == CKO_HW_FEATURE
        let wantsProfiles = objectClass == CKO_PROFILE || template[CKA_PROFILE_ID] != nil
        let unmet = wantsProfiles ? try unmetProfile() : nil
        let wantsInfo = template[CKA_PUBLIC_KEY_INFO] != nil
        var plain = template
        plain[CKA_PUBLIC_KEY_INFO] = nil
        let rest = plain.withoutSecrets
        let hasSecrets = rest != plain
        let found = objects.handles { object in
            isVisible(object) && (wantsFeatures || !object.isFeatures) && (wantsProfiles || !object.isProfile)
                && (unmet == nil || object.attributes[CKA_PROFILE_ID] != unmet?.bytes)
                && object.attributes.matches(
                    (hasSecrets && object.attributes.showsValue ? rest : plain).without(object.unread))
        }
        var unread: [CK_OBJECT_HANDLE] = []
        for handle in found {
            if try !objects[handle].unread.isDisjoint(with: template.types) { unread.append(handle) }
        }
        guard hasSecrets || wantsInfo || !unread.isEmpty else { return found }
        try readValues(of: unread)
        var matching: [CK_OBJECT_HANDLE] = []
        for handle in found where objects.contains(handle) {
            let object = try objects[handle]
            var attributes = object.attributes
            if hasSecrets, attributes.showsValue { attributes = try loaded(object).shownAttributes() }
            if wantsInfo { attributes = try withPublicKeyInfo(attributes, of: object) }
            if attributes.matches(template) { matching.append(handle) }
        }
        return matching
    }

    /// An object that the present login may see, with the value of a certificate or data object if an attribute of these
    /// types follows from it; nil for any.
    ///
    /// A caller that reads certificates one after another gets as many at once as it has already, so that each costs no
    /// call of its own.
    func visibleObject(_ handle: CK_OBJECT_HANDLE, knowing types: [CK_ATTRIBUTE_TYPE]?) throws(CKError) -> Object {
        let object = try visibleObject(handle)
        guard !object.unread.isEmpty, types.map({ !object.unread.isDisjoint(with: $0) }) ?? true else { return object }
        var wanted = [handle]
        if object.isCertificate {
            let read = objects.handles { $0.isCertificate && $0.unread.isEmpty }.count
            let unread = objects.handles { isVisible($0) && $0.isCertificate && !$0.unread.isEmpty }
            wanted += unread.filter { $0 > handle }.prefix(max(0, read - 1))
        }
        try readValues(of: wanted)
        let whole = try visibleObject(handle)
        guard whole.unread.isEmpty else { throw .objectHandleInvalid }
        return whole
    }

    /// Reads the values that searches leave on the token. Objects that are gone by now stay as they are.
    func readValues(of handles: [CK_OBJECT_HANDLE]) throws(CKError) {
        var wanted: [(handle: CK_OBJECT_HANDLE, item: TokenObject)] = []
        for handle in handles {
            if let item = try objects[handle].tokenObject, !item.isRead { wanted.append((handle, item)) }
        }
        guard !wanted.isEmpty else { return }
        let items = wanted.map(\.item)
        let read = try withToken { token throws(TokenError) in try token.read(items) }
        for (place, object) in zip(wanted, read) {
            guard let object, objects.contains(place.handle), try objects[place.handle].tokenObject == place.item else {
                continue
            }
            try objects.replace(place.handle, with: Object(object))
        }
    }

    /// An object that the present login may see.
    func visibleObject(_ handle: CK_OBJECT_HANDLE) throws(CKError) -> Object {
        let object = try objects[handle]
        guard isVisible(object) else { throw .objectHandleInvalid }
        return object
    }

    private func isVisible(_ object: Object) -> Bool { !object.isPrivate || login == .user }

    /// The object, with the value of a secret key of the token, which the host computes with.
    func loaded(_ object: Object) throws(CKError) -> Object {
        guard case .token(let key, nil) = object.home, case .secretKey = key.content else { return object }
        var object = object
        let value = try withToken { token throws(TokenError) in try token.value(of: key) }
        object.home = .token(key, SessionKey(value))
        return object
    }

    /// Enters a new object of a session, with an identifier of its own.
    func insertSessionObject(_ object: Object) throws(CKError) -> CK_OBJECT_HANDLE {
        var object = object
        object.attributes.set(CKA_UNIQUE_ID, try UniqueID.random(settings.random))
        return objects.insert(object)
    }

    /// Updates the table of objects from the token. Objects that stay keep their handles.
    func refreshObjects() throws(CKError) {
        let found = try withToken { token throws(TokenError) in try token.objects(readingValues: false) }
        guard found != known else { return }
        known = found
        var missing = found
        if settings.policy.hidesGOSTKeys { missing.removeAll { $0.key?.kind is GOSTKey } }
        objects.update { object in
            guard let item = object.tokenObject else { return object }
            guard let index = missing.firstIndex(where: { $0.isSame(as: item) }) else { return nil }
            let present = missing.remove(at: index)
            // The value that was read may have changed.
            return present.isRead == item.isRead ? object : try? Object(present)
        }
        // An item that cannot become an object is left out.
        for object in missing.compactMap({ try? Object($0) }) { _ = objects.insert(object) }
        guard !objects.contains(where: \.isFeatures) else { return }
        for object in [.features] + Object.profiles { _ = objects.insert(object) }
    }
}
