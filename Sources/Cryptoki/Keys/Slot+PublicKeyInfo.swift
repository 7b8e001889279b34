// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import HostCrypto
import Token
import Tokens

/// `CKA_PUBLIC_KEY_INFO` of keys (PKCS #11 v2.40, 4.8 and 4.9). It is not stored, but computed on request from the
/// known objects: a command goes to the token only if a certificate has to be read for it, and a search that does not
/// name it is not slowed.
extension Slot {
    /// The attributes of an object, with the SubjectPublicKeyInfo of a key unless its template has given one. It is
    /// empty if the public key is unknown.
    func withPublicKeyInfo(_ attributes: Attributes, of object: Object) throws(CKError) -> Attributes {
        guard attributes[CKA_PUBLIC_KEY_INFO]?.isEmpty == true, let info = try publicKeyInfo(of: object) else {
            return attributes
        }
        var attributes = attributes
        attributes.set(CKA_PUBLIC_KEY_INFO, info.der)
        return attributes
    }

    private func publicKeyInfo(of object: Object) throws(CKError) -> PublicKeyInfo? {
        guard object.keyType != nil else { return nil }
        guard let own = object.tokenObject, object.sessionKey == nil else {
            return try? object.attributes.publicKeyInfo(of: object.sessionKey)
        }
        if let info = tokenObjects.publicKeyInfo(of: own) { return info }
        guard !own.isPublicKey, !own.identifier.isEmpty else { return nil }
        try readValues(of: objects.handles { $0.isCertificate && $0.tokenObject?.identifier == own.identifier })
        return tokenObjects.certifiedKey(of: own)
    }

    /// The token's objects, as far as they are known, oldest first.
    private var tokenObjects: [TokenObject] { objects.elements.compactMap(\.tokenObject) }

    /// Whether each certificate on the token whose key is there too, as far as that is known, has its identifier.
    func certificatesShareIdentifiers() throws(CKError) -> Bool {
        let certificates = objects.handles { $0.tokenObject != nil && $0.isCertificate }
        try readValues(of: certificates)
        var keys: [(info: PublicKeyInfo, id: [UInt8]?)] = []
        for handle in objects.handles(where: { $0.tokenObject != nil && $0.keyType != nil }) {
            let object = try objects[handle]
            if let info = try publicKeyInfo(of: object) { keys.append((info, object.attributes[CKA_ID])) }
        }
        for handle in certificates where objects.contains(handle) {
            let certificate = try objects[handle]
            guard certificate.attributes[CKA_VALUE] != nil else { return false }
            let info = certificate.tokenObject?.certifiedKey
            let own = keys.filter { key in info?.isSameKey(as: key.info) == true }
            guard own.allSatisfy({ $0.id == certificate.attributes[CKA_ID] }) else { return false }
        }
        return true
    }
}

extension Attributes {
    /// The public key that the attributes of either half say, or that goes with a private key.
    ///
    /// - Throws: The error of the attributes; `CKR_FUNCTION_FAILED`.
    func publicKeyInfo(of key: SessionKey? = nil) throws(CKError) -> PublicKeyInfo {
        var attributes = self
        if let key { attributes.enter(try key.publicValues()) }
        let type = attributes.keyType ?? .gostR3410
        switch type {
        case .rsa: break
        case .ec: _ = try attributes.ecCurve()
        case .gostR3410, .gostR3410With512Bits: _ = try attributes.requireGOSTCurve()
        }
        return try tokensError { () throws(TokensError) in try attributes.publicKeyInfo(of: type) }
    }

    /// The template of a key from outside can only repeat the key's own info.
    ///
    /// - Parameter key: The private key; nil for a public one.
    /// - Throws: `CKR_TEMPLATE_INCONSISTENT`.
    func checkPublicKeyInfo(of key: SessionKey? = nil) throws(CKError) {
        guard let der = self[CKA_PUBLIC_KEY_INFO], !der.isEmpty else { return }
        let own = try publicKeyInfo(of: key)
        guard let given = try? PublicKeyInfo(der: der.span), given.isSameKey(as: own) else {
            throw .templateInconsistent("\(place(of: CKA_PUBLIC_KEY_INFO)) differs from the key")
        }
    }
}

extension PublicKeyInfo {
    /// The attributes of the private half.
    var privateKeyTemplate: Attributes {
        var template = Attributes()
        template.set(CKA_CLASS, CKO_PRIVATE_KEY)
        switch self {
        case .gost(let info):
            template.set(CKA_KEY_TYPE, KeyType(info.key.curve).rawValue)
            template.set(CKA_GOSTR3410_PARAMS, info.key.curve.oid)
        case .rsa: template.set(CKA_KEY_TYPE, CKK_RSA)
        case .ec(let key):
            template.set(CKA_KEY_TYPE, CKK_EC)
            template.set(CKA_EC_PARAMS, key.curve.oid)
        }
        return template
    }

    /// Whether the keys are the same, even if their algorithm identifiers differ.
    fileprivate func isSameKey(as other: PublicKeyInfo) -> Bool {
        if case .gost(let own) = self, case .gost(let other) = other { return own.key == other.key }
        return self == other
    }
}
