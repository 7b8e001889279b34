// SPDX-License-Identifier: Apache-2.0
import CCryptoki

extension Session {
    /// The key with a handle, of whatever kind.
    ///
    /// - Throws: `CKR_KEY_HANDLE_INVALID` if the session sees no such object, or it is not a key.
    func key(_ handle: CK_OBJECT_HANDLE) throws(CKError) -> Object {
        guard let object = try? slot.visibleObject(handle) else {
            throw .keyHandleInvalid("\(handle) is the handle of no object that this login sees")
        }
        let objectClass = try object.attributes.number(CKA_CLASS) ?? .unavailable
        guard [CKO_SECRET_KEY, CKO_PRIVATE_KEY, CKO_PUBLIC_KEY].contains(objectClass) else {
            throw .keyHandleInvalid("\(handle) is the handle of an object of \(class: objectClass)")
        }
        return object
    }
}

extension Object {
    /// Whether a key is of the kind that a mechanism works with. This comes before the question whether the key may be
    /// used so (PKCS #11 v2.40, 5.1.6).
    ///
    /// - Throws: `CKR_KEY_TYPE_INCONSISTENT`.
    func requireKind(_ objectClass: CK_OBJECT_CLASS, _ keyTypes: [CK_KEY_TYPE]) throws(CKError) {
        let given = try attributes.number(CKA_CLASS) ?? .unavailable
        guard given == objectClass else {
            throw .keyTypeInconsistent("the key is of \(class: given), and must be of \(class: objectClass)")
        }
        let type = try attributes.number(CKA_KEY_TYPE) ?? .unavailable
        guard keyTypes.contains(type) else {
            throw .keyTypeInconsistent("the key is of \(keyType: type), with which the mechanism does not work")
        }
    }
}
