// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import Secrets
import Token
import Tokens

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
            return attributes.keyType?.kind.secretAttributes.contains(type) == true
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
        do { object.attributes.set(CKA_UNIQUE_ID, try UniqueID.random(settings.random)) } catch {
            throw .functionFailed
        }
        return objects.insert(object)
    }

    /// Updates the table of objects from the token. Objects that stay keep their handles.
    func refreshObjects() throws(CKError) {
        let hidden = settings.policy.hiddenKeys
        let found = try withToken { token throws(TokenError) in try token.objects(reading: .none, hiding: hidden) }
        guard found != known else { return }
        defer { known = found }
        var missing = found
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

/// The results of a search that are not yet given out.
struct Search {
    var handles: ArraySlice<CK_OBJECT_HANDLE>
    /// The table's count of removals when all handles were valid.
    var removals: Int
}

extension Session {
    /// Begins a search. An empty template finds everything that the session may see, but for hardware features.
    package func findObjectsInit(_ template: Attributes) throws(CKError) {
        guard search == nil else { throw .operationActive }
        try slot.refreshObjects()
        search = Search(handles: try slot.visibleObjects(matching: template)[...], removals: slot.objects.removals)
    }

    /// The next handles that were found, at most `limit`. Objects that are gone by now are skipped.
    package func findObjects(limit: Int) throws(CKError) -> [CK_OBJECT_HANDLE] {
        guard var found = search else { throw .operationNotInitialised }
        if found.removals != slot.objects.removals {
            found = Search(
                handles: found.handles.filter { slot.objects.contains($0) }[...], removals: slot.objects.removals)
        }
        search = Search(handles: found.handles.dropFirst(limit), removals: found.removals)
        return Array(found.handles.prefix(limit))
    }

    /// Ends the search.
    package func findObjectsFinal() throws(CKError) {
        guard search != nil else { throw .operationNotInitialised }
        search = nil
    }
}

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
