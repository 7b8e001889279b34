// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
package import HostCrypto
import Secrets
import Token
import Tokens

/// The part of an operation that only the private key can do: in this process with a key of a session, on the token with
/// a key of the token. Hashing and padding are the host's part with both.
extension Session {
    /// The place where a private key computes.
    private enum Place {
        case token(PermittedKey)
        case process(SessionKey)
    }

    /// Returns the place where a private key computes, if it may be used now. Every use of one comes through here.
    ///
    /// - Throws: The errors of ``requireUsable(_:)`` and ``requireConsent(to:with:)``.
    private func place(of key: Object, for purpose: KeyUse.Purpose) throws(CKError) -> Place {
        try requireUsable(key)
        let ask = { () throws(CKError) in try self.requireConsent(to: purpose, with: key) }
        switch key.home {
        case .token(let object, _) where object.key != nil: return .token(try PermittedKey(object, asking: ask))
        case .session(_, let key?):
            try ask()
            return .process(key)
        default: throw .keyHandleInvalid("no private key is behind the handle")
        }
    }

    /// The signature of a digest by GOST R 34.10 or ECDSA.
    func sign(digest: [UInt8], with key: Object) throws(CKError) -> [UInt8] {
        switch try place(of: key, for: .signature(digest)) {
        case .token(let key):
            return try slot.withToken(usesKey: true) { token throws(TokenError) in
                try token.sign(digest: digest, with: key)
            }
        case .process(let key): return try key.sign(digest: digest, random: slot.settings.random)
        }
    }

    /// The secret that a key of GOST R 34.10 and the other side's public key agree on.
    func agree(
        _ parameters: AgreementParameters, _ derivation: KeyDerivation, sBox: SBox, with key: Object
    ) throws(CKError) -> Secret {
        try requireAgreement(with: key)
        guard let curve = key.attributes.gostCurve else { throw .keyHandleInvalid("the key is on no known curve") }
        let size = curve.coordinateSize
        return try parameters.agree(size: size, derivation, sBox: sBox) { peer, ukm, hash throws(CKError) in
            // All lengths and numbers but the key's come with the mechanism.
            guard let publicKey = try? PublicKey(curve: curve, bytes: peer), ukm.count <= size else {
                throw .mechanismParameterInvalid(
                    "pPublicData is not a point of the key's curve, or pUKM has \(ukm.count) bytes, above \(size)")
            }
            switch try place(of: key, for: .agreement(peer)) {
            case .token(let key):
                return try slot.withToken(usesKey: true) { token throws(TokenError) in
                    try token.agree(key, with: peer, ukm: ukm, hash: hash)
                }
            case .process(let key): return try key.agree(with: publicKey, ukm: ukm, hash)
            }
        }
    }

    /// The shared secret of ECDH.
    func sharedSecret(of key: Object, with peer: ECPublicKey) throws(CKError) -> Secret {
        try requireAgreement(with: key)
        guard peer.curve.oid == key.attributes[CKA_EC_PARAMS] else {
            throw .mechanismParameterInvalid("pPublicData is not a point of the key's curve")
        }
        let point = Array(peer.point.dropFirst())
        switch try place(of: key, for: .agreement(point)) {
        case .token(let key):
            return try slot.withToken(usesKey: true) { token throws(TokenError) in try token.agree(key, with: point) }
        case .process(let key): return try key.sharedSecret(with: peer)
        }
    }

    /// - Throws: `CKR_MECHANISM_INVALID` for a key of a token that agrees on no secrets.
    private func requireAgreement(with key: Object) throws(CKError) {
        try requireUsable(key)
        guard key.tokenObject != nil else { return }
        let isPossible = try slot.withToken { token throws(TokenError) in try token.supportsKanalCommands() }
        guard isPossible else { throw .mechanismInvalid("the token agrees on no secrets") }
    }

    /// A signature of RSA.
    func sign(_ input: [UInt8], _ scheme: RSASignatureScheme, with key: Object) throws(CKError) -> [UInt8] {
        switch try place(of: key, for: .signature(input)) {
        case .token(let permitted):
            let block: [UInt8]
            let bitCount = try key.modulusBits()
            do throws(HostCryptoError) {
                block = try scheme.block(of: input.span, bitCount: bitCount, random: slot.settings.random)
            } catch {
                throw CKError(error)
            }
            guard key.tokenObject?.covers(block) != false else { throw .dataInvalid }
            return try slot.withToken(usesKey: true) { token throws(TokenError) in
                try token.sign(block: block, with: permitted)
            }
        case .process(let key): return try key.sign(input, scheme)
        }
    }

    /// The plaintext of a cryptogram of RSA.
    func decrypt(_ ciphertext: Span<UInt8>, _ scheme: RSAEncryptionScheme, with key: Object) throws(CKError) -> Secret {
        try requireUsable(key)
        let block = [UInt8](copying: ciphertext)
        guard try block.count == (key.modulusBits() + 7) / 8 else { throw .encryptedDataLengthRange }
        guard key.tokenObject?.covers(block) != false else { throw .encryptedDataInvalid }
        switch try place(of: key, for: .decryption(block, isPadded: scheme != .raw)) {
        case .token(let key):
            let padded = try slot.withToken(usesKey: true) { token throws(TokenError) in
                try token.decipher(block: block, with: key)
            }
            do throws(HostCryptoError) { return try scheme.plaintext(of: padded) } catch { throw CKError(error) }
        case .process(let key): return try key.decrypt(ciphertext, scheme)
        }
    }
}

extension TokenObject {
    fileprivate var rsaKey: RSAKey? { key?.kind as? RSAKey }

    /// Whether a block as long as the modulus is a number below it, as far as the modulus is known.
    fileprivate func covers(_ block: [UInt8]) -> Bool {
        rsaKey?.modulus.map { block.lexicographicallyPrecedes($0) } ?? true
    }
}

extension Object {
    /// The length of a key of RSA in bits.
    func modulusBits() throws(CKError) -> Int {
        if let key = tokenObject?.rsaKey { return key.size.bits }
        do throws(HostCryptoError) { return try attributes.rsaPublicKey().bitCount } catch {
            guard error != .libraryFailure else { throw .hostFailed }
            throw .keyHandleInvalid("the key's CKA_MODULUS and CKA_PUBLIC_EXPONENT are not a key of RSA")
        }
    }
}

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
