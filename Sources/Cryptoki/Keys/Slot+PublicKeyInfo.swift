// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import HostCrypto
import Token
import Tokens

/// `CKA_PUBLIC_KEY_INFO` of keys (PKCS #11 v2.40, 4.8 and 4.9). It is not stored, but computed on request from the
/// known objects: a command goes to the token only if a certificate has to be read for it, and a search that does not
/// name it takes no longer.
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
        switch try? object.attributes.number(CKA_CLASS) {
        case CKO_PUBLIC_KEY: return try? object.attributes.publicKeyInfo()
        case CKO_PRIVATE_KEY:
            // Private keys of RSA have the public numbers, and those of a session can be asked.
            if let info = try? object.attributes.publicKeyInfo(of: object.sessionKey) { return info }
            guard object.tokenObject != nil else { return nil }
            if let info = publicHalf(of: object) { return info }
            return try certifiedKey(of: object.attributes)
        default: return nil
        }
    }

    /// The public key on the token that goes with a private one: that of the same pair, or else one without a pair of its
    /// own that has the same identifier.
    private func publicHalf(of object: Object) -> PublicKeyInfo? {
        let attributes = object.attributes
        let (number, id) = (object.tokenObject?.key?.number ?? 0, attributes[CKA_ID] ?? [])
        func publicKeys(where isWanted: (_ number: UInt8, _ id: [UInt8]?) -> Bool) -> [CK_OBJECT_HANDLE] {
            objects.handles { other in
                guard let item = other.tokenObject, other.attributes[CKA_CLASS] == CKO_PUBLIC_KEY.bytes,
                    [CKA_KEY_TYPE, CKA_GOSTR3410_PARAMS, CKA_EC_PARAMS].allSatisfy({
                        other.attributes[$0] == attributes[$0]
                    })
                else { return false }
                return isWanted(item.key?.number ?? 0, other.attributes[CKA_ID])
            }
        }
        let pairs = number == 0 ? [] : publicKeys { other, _ in other == number }
        let single = id.isEmpty ? [] : publicKeys { number, other in number == 0 && other == id }
        return (pairs + single).lazy.compactMap { try? self.objects[$0].attributes.publicKeyInfo() }.first
    }

    /// The public key in the first certificate on the token with a private key's identifier and parameters.
    private func certifiedKey(of attributes: Attributes) throws(CKError) -> PublicKeyInfo? {
        guard let id = attributes[CKA_ID], !id.isEmpty else { return nil }
        let handles = objects.handles { other in
            other.tokenObject != nil && other.attributes[CKA_CLASS] == CKO_CERTIFICATE.bytes
                && other.attributes[CKA_ID] == id
        }
        try readValues(of: handles)
        for handle in handles {
            guard let key = try? objects[handle].attributes.certifiedKey, attributes.matches(key.privateKeyTemplate)
            else {
                continue
            }
            return key
        }
        return nil
    }

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
            let attributes = try objects[handle].attributes
            guard attributes[CKA_VALUE] != nil else { return false }
            let info = attributes.certifiedKey
            let own = keys.filter { key in info?.isSameKey(as: key.info) == true }
            guard own.allSatisfy({ $0.id == attributes[CKA_ID] }) else { return false }
        }
        return true
    }
}

extension Attributes {
    /// The public key of a certificate; nil if it is missing or unknown to this library.
    fileprivate var certifiedKey: PublicKeyInfo? {
        guard let value = self[CKA_VALUE], let info = try? Certificate(der: value.span).subjectPublicKeyInfo else {
            return nil
        }
        return try? PublicKeyInfo(der: info.span)
    }

    /// The public key that the attributes of either half say, or that goes with a private key.
    ///
    /// - Throws: The error of the attributes; `CKR_FUNCTION_FAILED`.
    func publicKeyInfo(of key: SessionKey? = nil) throws(CKError) -> PublicKeyInfo {
        var attributes = self
        if let key { attributes.enter(try key.publicValues()) }
        switch try number(CKA_KEY_TYPE) {
        case CKK_RSA:
            do throws(HostCryptoError) { return .rsa(try attributes.rsaPublicKey()) } catch { throw CKError(error) }
        case CKK_EC:
            let curve = try ecCurve()
            let point = attributes[CKA_EC_POINT] ?? []
            do throws(HostCryptoError) { return .ec(try ECPublicKey(curve: curve, bareOrDER: point)) } catch {
                throw CKError(error)
            }
        default:
            let key = try attributes.gostPublicKey()
            let digest = self[CKA_GOSTR3411_PARAMS]
            let algorithm = PublicKeyAlgorithm.allCases.first { $0.digestParameterSet == digest }
            let standard: PublicKeyAlgorithm =
                key.curve.coordinateSize == 64 ? .gostR34102012512 : .gostR34102012256
            do throws(GOSTError) {
                let info = try SubjectPublicKeyInfo(algorithm: algorithm ?? standard, key: key)
                return .gost(try info.namingDigest)
            } catch {
                throw CKError(error)
            }
        }
    }

    /// The template of a key from outside can only repeat the key's own info.
    ///
    /// - Parameter key: The private key; nil for a public one.
    /// - Throws: `CKR_TEMPLATE_INCONSISTENT`.
    func checkPublicKeyInfo(of key: SessionKey? = nil) throws(CKError) {
        guard let der = self[CKA_PUBLIC_KEY_INFO], !der.isEmpty else { return }
        let own = try publicKeyInfo(of: key)
        guard let given = try? PublicKeyInfo(der: der.span), given.isSameKey(as: own) else {
            throw .templateInconsistent("\(place(of: CKA_PUBLIC_KEY_INFO)) is not that of the key")
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
