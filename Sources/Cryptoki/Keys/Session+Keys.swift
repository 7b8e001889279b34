// SPDX-License-Identifier: Apache-2.0

import APDU
package import CCryptoki
import Secrets
import Token
import Tokens

extension Session {
    /// Makes a key pair, on the token if the private key is to live there, else in this process.
    ///
    /// - Returns: The handles of the public and the private key.
    package func generateKeyPair(
        _ mechanism: Mechanism, publicTemplate: Attributes, privateTemplate: Attributes
    ) throws(CKError) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        let definition = try slot.mechanism(mechanism.type)
        guard case .keyPairGeneration(let keyType) = definition.work else {
            throw .mechanismInvalid("\(mechanism: mechanism.type) makes no key pairs")
        }
        try definition.checkParameter(mechanism.parameter)
        let templates = try KeyPairTemplates(publicTemplate, privateTemplate, kind: keyType.kind)
        guard isReadWrite || !templates.isToken else { throw .sessionReadOnly("CKA_TOKEN is true in a template") }
        guard slot.login == .user || !(templates.isToken || templates.isPrivate) else {
            throw .userNotLoggedIn("CKA_TOKEN or CKA_PRIVATE is true, for which User must be logged in")
        }
        try checkTrust(templates.publicKey)
        guard templates.privateKey[CKA_TOKEN] == [1] else {
            let objects = try generateInSession(templates)
            return (try insert(objects.0), try insert(objects.1))
        }
        let objects = try generateOnToken(templates)
        let publicKey =
            objects.0.session == nil ? slot.objects.insert(objects.0) : try slot.insertSessionObject(objects.0)
        return (publicKey, slot.objects.insert(objects.1))
    }

    private func generateInSession(_ templates: KeyPairTemplates) throws(CKError) -> (Object, Object) {
        let key = try templates.kind.generate(templates.publicKey, random: slot.settings.random)
        var publicKey = templates.publicKey
        var privateKey = templates.privateKey
        let values = try key.publicValues()
        // The private half of some keys has the public numbers, too.
        let table = try AttributeTable(for: privateKey)
        for type in values.types {
            publicKey[type] = values[type]
            if table[type] != nil, !templates.kind.secretAttributes.contains(type) {
                privateKey[type] = values[type]
            }
        }
        return (
            Object(home: .session(handle, nil), attributes: publicKey, isPrivate: publicKey[CKA_PRIVATE] == [1]),
            Object(home: .session(handle, key), attributes: privateKey, isPrivate: privateKey[CKA_PRIVATE] == [1])
        )
    }
}

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
            key.authentication = Authentication(of: key.tokenObject)
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

/// Key pairs that a token generates, and private keys that it imports.
extension Session {
    /// Makes a key pair on the token, which also keeps its other attributes.
    func generateOnToken(_ templates: KeyPairTemplates) throws(CKError) -> (Object, Object) {
        let (publicKey, privateKey) = (templates.publicKey, templates.privateKey)
        try privateKey.checkTokenPrivateKey()
        let kind = try templates.kind.tokenKind(publicKey, privateKey)
        let properties = templates.kind.properties(privateKey)
        let publicHalf = try TokenObject(publicKey, TokenKey(.publicKey, kind, properties))
        let privateHalf = try TokenObject(privateKey, TokenKey(.privateKey, kind, properties))
        let made = try withToken(orElse: templates.kind.refusal) { token throws(TokenError) in
            try token.generateKeyPair(publicHalf, privateHalf)
        }
        var publicObject = try Object(made.0)
        if publicKey[CKA_TOKEN] != [1] {
            try slot.withToken { token throws(TokenError) in try token.delete(made.0) }
            publicObject.home = .session(handle, nil)
            publicObject.attributes.set(CKA_TOKEN, false)
        }
        return (publicObject, try Object(made.1))
    }

    /// Puts a private key that came from outside onto the token.
    func storePrivateKey(_ key: SessionKey, _ attributes: Attributes) throws(CKError) -> Object {
        try attributes.checkTokenPrivateKey()
        let pairs = try attributes.keyPairKind()
        let kind = try pairs.tokenKind(attributes, attributes)
        let properties = pairs.properties(attributes).union(.imported)
        let half = try TokenObject(attributes, TokenKey(.privateKey, kind, properties))
        let value = try key.tokenValue()
        let stored = try withToken(orElse: pairs.refusal) { token throws(TokenError) in
            try token.importKey(value, as: half)
        }
        return try Object(stored)
    }

    /// As `Slot.withToken`, for operations that not every model supports.
    ///
    /// - Parameter refusal: The error if this one does not.
    private func withToken<Result: Sendable>(
        orElse refusal: CKError, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(CKError) -> Result {
        let result = try slot.withToken { token throws(TokenError) -> Result? in
            do throws(TokenError) { return try body(token) } catch {
                guard error == .unsupported || error == .refused(.incorrectData) else { throw error }
                return nil
            }
        }
        guard let result else { throw refusal }
        return result
    }
}

extension Attributes {
    /// A private key of the token is private and never leaves it.
    ///
    /// - Throws: `CKR_TEMPLATE_INCONSISTENT` for anything else.
    fileprivate func checkTokenPrivateKey() throws(CKError) {
        guard self[CKA_PRIVATE] == [1], self[CKA_SENSITIVE] == [1], self[CKA_EXTRACTABLE] == [0] else {
            throw .templateInconsistent(
                "a private key of the token has CKA_PRIVATE and CKA_SENSITIVE true, and CKA_EXTRACTABLE false")
        }
    }

    /// Whether a key is to agree on secrets: a key of GOST R 34.10 unwraps keys by that, too.
    var agrees: Bool { self[CKA_DERIVE] == [1] || self[CKA_UNWRAP] == [1] }
}

extension TokenObject {
    /// One half of a key pair to be made, with the attributes that the token keeps.
    fileprivate init(_ attributes: Attributes, _ key: TokenKey) throws(CKError) {
        self.init(.key(key))
        var attributes = attributes
        attributes.stayIfPrivateKey()
        try take(attributes)
        if key.half == .publicKey { isPrivate = attributes[CKA_PRIVATE] == [1] }
    }
}
