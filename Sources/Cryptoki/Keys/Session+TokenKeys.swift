// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Token

/// Key pairs that a token makes, and private keys that it takes.
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

    /// As ``Slot/withToken(waits:usesKey:checking:_:)``, for operations that not every model supports.
    ///
    /// - Parameter refusal: The error if this one does not.
    private func withToken<Result: Sendable>(
        orElse refusal: CKError, _ body: @Sendable (Token) throws(TokenError) -> Result
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
