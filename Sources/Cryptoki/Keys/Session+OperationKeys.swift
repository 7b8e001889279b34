// SPDX-License-Identifier: Apache-2.0
import CCryptoki

/// The keys that operations work with, each checked before it is used.
extension Session {
    /// The key for an operation, checked for its class, its type and the permission to be used so. It may have to wait for
    /// a PIN of its own (PKCS #11 v2.40, 4.9).
    func operationKey(
        _ handle: CK_OBJECT_HANDLE, for mechanism: CK_MECHANISM_TYPE, class objectClass: CK_OBJECT_CLASS,
        permission: CK_ATTRIBUTE_TYPE, keyTypes: [KeyType]
    ) throws(CKError) -> Object {
        var key = try key(handle)
        if key.tokenObject != nil { key.tokenHandle = handle }
        try key.requireKind(objectClass, keyTypes.map(\.rawValue))
        try key.checkUse(permission, by: mechanism)
        if try key.attributes.bool(CKA_ALWAYS_AUTHENTICATE) == true {
            key.authentication = Authentication()
            authentication = key.authentication
        }
        return key
    }

    /// The secret key for an operation, checked for its type and the permission to be used so.
    func secretKey(
        _ handle: CK_OBJECT_HANDLE, for mechanism: CK_MECHANISM_TYPE, permission: CK_ATTRIBUTE_TYPE,
        types: [SecretKeyType]
    ) throws(CKError) -> Object {
        let key = try key(handle)
        try key.requireKind(CKO_SECRET_KEY, types.map(\.rawValue))
        try key.checkUse(permission, by: mechanism)
        return try slot.loaded(key)
    }

    /// - Throws: `CKR_USER_NOT_LOGGED_IN` if the key may not be used before the PIN is presented once more;
    ///   `CKR_KEY_HANDLE_INVALID` if it was destroyed since the operation began: its place may hold a different key.
    func requireUsable(_ key: Object) throws(CKError) {
        guard key.authentication?.isGiven != false else {
            throw .userNotLoggedIn("the key's CKA_ALWAYS_AUTHENTICATE is true, and CKU_CONTEXT_SPECIFIC did not log in")
        }
        guard let handle = key.tokenHandle else { return }
        guard (try? slot.visibleObject(handle)) != nil else {
            throw .keyHandleInvalid("the key was destroyed since the operation began")
        }
    }
}
