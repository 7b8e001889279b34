// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import GOST
package import HostCrypto

/// The objects on the token that a key of a file has become.
package struct ImportedKey: Sendable {
    package let privateKey, publicKey: CK_OBJECT_HANDLE
    /// nil if the file has no certificates.
    package let certificate: CK_OBJECT_HANDLE?
    /// The `CKA_ID` of all of them.
    package let id: [UInt8]
}

extension Session {
    /// Puts a private key of a file onto the token, which never gives it back, and beside it its public key and its
    /// certificate.
    ///
    /// If one of them cannot be stored none stays, as far as the token can be reached.
    ///
    /// - Parameters:
    ///   - label: nil for the key's name in the file.
    ///   - id: nil for the SHA-1 of the SubjectPublicKeyInfo.
    ///   - agrees: Whether the key is to agree on secrets too (`CKA_DERIVE`), which cannot be changed later.
    /// - Throws: `CKR_KEY_TYPE_INCONSISTENT` if the file has certificates, and none is the key's; the errors of
    ///   ``createObject(_:)``.
    package func importPFX(
        _ key: PFX.Key, of pfx: PFX, label: [UInt8]? = nil, id: [UInt8]? = nil, agrees: Bool = false
    ) throws(CKError) -> ImportedKey {
        let certificate = pfx.certificate(of: key)
        guard certificate != nil || pfx.certificates.isEmpty else {
            throw .keyTypeInconsistent("no certificate in the file belongs to the private key")
        }
        // A search for the key of a certificate uses the certificate's identifiers of algorithm and curve.
        let info = certificate?.publicKey ?? key.publicKey
        let own = if let id { id } else { try info.identifier() }
        var common = Attributes()
        common.set(CKA_TOKEN, true)
        common.set(CKA_ID, own)
        common.set(CKA_LABEL, label ?? Array(key.name.label.utf8))

        var templates = [
            try common.privateKey(key, info, agrees: agrees), common.publicKey(info, agrees: agrees),
        ]
        if let certificate { templates.append(common.certificate(certificate)) }
        var made: [CK_OBJECT_HANDLE] = []
        do throws(CKError) {
            for template in templates { made.append(try createObject(template)) }
        } catch {
            for object in made.reversed() { try? destroyObject(object) }
            throw error
        }
        return ImportedKey(
            privateKey: made[0], publicKey: made[1], certificate: certificate == nil ? nil : made[2], id: own)
    }
}

extension PublicKeyInfo {
    /// The default identifier of a key pair.
    fileprivate func identifier() throws(CKError) -> [UInt8] {
        let der = der
        do throws(HostCryptoError) { return try Digest.digest(der.span, .sha1) } catch { throw CKError(error) }
    }
}

extension Attributes {
    fileprivate func privateKey(
        _ key: PFX.Key, _ info: PublicKeyInfo, agrees: Bool
    ) throws(CKError) -> Attributes {
        var template = self
        template.set(CKA_CLASS, CKO_PRIVATE_KEY)
        template.set(CKA_PRIVATE, true)
        template.set(CKA_SENSITIVE, true)
        template.set(CKA_EXTRACTABLE, false)
        template.enterParameters(info)
        if agrees { template.set(CKA_DERIVE, true) }
        switch key.material {
        case .gost(let info): template.set(CKA_VALUE, info.key.scalar)
        case .ec(let key): template.set(CKA_VALUE, key.scalar)
        case .rsa(let key):
            do throws(HostCryptoError) {
                let components = try key.components()
                template.set(components)
            } catch {
                throw CKError(error)
            }
        }
        return template
    }

    fileprivate func publicKey(_ info: PublicKeyInfo, agrees: Bool) -> Attributes {
        var template = self
        template.set(CKA_CLASS, CKO_PUBLIC_KEY)
        template.set(CKA_PRIVATE, false)
        template.enterParameters(info)
        if agrees { template.set(CKA_DERIVE, true) }
        switch info {
        case .gost(let info): template.set(CKA_VALUE, info.key.bytes)
        case .ec(let key): template.set(CKA_EC_POINT, key.octetString)
        case .rsa: break
        }
        return template
    }

    fileprivate func certificate(_ certificate: PFX.Certificate) -> Attributes {
        var template = self
        template.set(CKA_CLASS, CKO_CERTIFICATE)
        template.set(CKA_CERTIFICATE_TYPE, CKC_X_509)
        template.set(CKA_PRIVATE, false)
        template.set(CKA_VALUE, certificate.der)
        return template
    }

    /// Enters the attributes that both halves of a key pair have.
    private mutating func enterParameters(_ info: PublicKeyInfo) {
        switch info {
        case .gost(let info):
            set(CKA_KEY_TYPE, KeyType(info.key.curve).rawValue)
            set(CKA_GOSTR3410_PARAMS, info.key.curve.oid)
            set(CKA_GOSTR3411_PARAMS, info.algorithm.algorithm.digestParameterSet)
        case .rsa(let key):
            set(CKA_KEY_TYPE, CKK_RSA)
            set(CKA_MODULUS, key.modulus)
            set(CKA_PUBLIC_EXPONENT, key.publicExponent)
        case .ec(let key):
            set(CKA_KEY_TYPE, CKK_EC)
            set(CKA_EC_PARAMS, key.curve.oid)
        }
    }
}
