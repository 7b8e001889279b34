// SPDX-License-Identifier: Apache-2.0
import Asking
package import CCryptoki
package import GOST
package import HostCrypto
import Locking
package import Secrets
package import Token

/// Computing with private keys of the token. Hashing and padding are the host's part.
extension TokenSlot {
    /// A signature of RSA.
    package func sign(
        _ input: [UInt8], _ scheme: RSASignatureScheme, with key: PermittedKey
    ) throws(TokensError) -> [UInt8] {
        guard let own = key.object.key?.kind.rsaKey else { throw .refused(.keyType, "the key is of another type") }
        let block: [UInt8]
        do throws(HostCryptoError) {
            block = try scheme.block(of: input.span, bitCount: own.size.bits, random: settings.random)
        } catch {
            throw .computation(error)
        }
        guard own.covers(block) else { throw .computation(.valueOutOfRange) }
        return try withTokenInSession(usesKey: true) { token throws(TokenError) in
            try token.sign(block: block, with: key)
        }
    }

    /// The plaintext of a cryptogram of RSA, as long as the modulus.
    package func decrypt(
        _ block: [UInt8], _ scheme: RSAEncryptionScheme, with key: PermittedKey
    ) throws(TokensError) -> Secret {
        let padded = try withTokenInSession(usesKey: true) { token throws(TokenError) in
            try token.decipher(block: block, with: key)
        }
        do throws(HostCryptoError) { return try scheme.plaintext(of: padded) } catch { throw .computation(error) }
    }

    /// Makes sure that the token agrees on secrets by a key. With keys of containers the host does.
    package func requireAgreement(with key: TokenObject) throws(TokensError) {
        guard key.container == nil else { return }
        let isPossible = try withTokenInSession { token throws(TokenError) in try token.supportsKanalCommands() }
        guard isPossible else { throw .refused(.mechanism, "the token agrees on no secrets") }
    }
}

extension RSAKey {
    /// Whether a block as long as the modulus is a number below it, as far as the modulus is known.
    package func covers(_ block: [UInt8]) -> Bool { modulus.map { block.lexicographicallyPrecedes($0) } ?? true }
}

extension TokenSession {
    /// Signs a digest.
    ///
    /// - Parameter content: The message, for the question to the user.
    package func sign(
        digest: [UInt8], by method: SignatureMethod, with key: TokenObject, content: SignedContent? = nil
    ) throws(TokensError) -> [UInt8] {
        let key = try present(key)
        try key.require(CKA_SIGN, otherwise: true, method.mechanism)
        let permitted = try permitted(key, for: .signature(digest, of: content))
        guard let scheme = method.scheme else {
            return try withToken(usesKey: true) { token throws(TokenError) in
                try token.sign(digest: digest, with: permitted)
            }
        }
        return try withSlot { slot throws(TokensError) in try slot.sign(digest, scheme, with: permitted) }
    }

    /// Decrypts with a key of RSA.
    package func decrypt(
        _ ciphertext: [UInt8], _ scheme: RSAEncryptionScheme, mechanism: CK_MECHANISM_TYPE, with key: TokenObject
    ) throws(TokensError) -> Secret {
        let key = try present(key)
        try key.require(CKA_DECRYPT, otherwise: true, mechanism)
        guard let own = key.key?.kind.rsaKey else { throw .refused(.keyType, "the key is of another type") }
        guard ciphertext.count == own.size.bits / 8 else { throw .computation(.invalidLength) }
        guard own.covers(ciphertext) else { throw .computation(.decryptionFailed) }
        let permitted = try permitted(key, for: .decryption(ciphertext, isPadded: scheme != .raw))
        return try withSlot { slot throws(TokensError) in try slot.decrypt(ciphertext, scheme, with: permitted) }
    }

    /// Agrees on a secret with the owner of another key, by VKO or ECDH.
    ///
    /// - Parameters:
    ///   - ukm: A number, little-endian, for VKO.
    ///   - hash: The hash function for the agreed point; nil for ECDH.
    package func agree(
        with peer: PublicKeyInfo, ukm: [UInt8], hash: HashAlgorithm?, mechanism: CK_MECHANISM_TYPE,
        using key: TokenObject
    ) throws(TokensError) -> Secret {
        let key = try present(key)
        try key.require(CKA_DERIVE, otherwise: key.key?.properties.contains(.derives) == true, mechanism)
        try withSlot { slot throws(TokensError) in try slot.requireAgreement(with: key) }
        guard let kind = key.key?.kind, peer.belongs(to: kind), let point = peer.point, ukm.count <= point.count / 2
        else {
            throw .refused(.parameter, "the other side's public key is not on the key's curve, or the UKM is too long")
        }
        let permitted = try permitted(key, for: .agreement(point))
        return try withToken(usesKey: true) { token throws(TokenError) in
            try token.agree(permitted, with: point, ukm: ukm, hash: hash)
        }
    }

    /// A private key that may be used now: the user has been asked for consent, if that is wanted.
    private func permitted(
        _ key: TokenObject, for purpose: KeyUse.Purpose
    ) throws(TokensError) -> PermittedKey {
        try requireLogin(.user)
        let isContainers = key.container?.needsPassword == true
        // A PIN for each use can be given by PKCS #11 only.
        guard isContainers || key[CKA_ALWAYS_AUTHENTICATE] != [1] else { throw .token(.notLoggedIn) }
        let password = isContainers ? try password(of: key) : nil
        let ask = { () throws(TokensError) in
            guard self.slots.asksConsent(perKey: false) else { return }
            let use = KeyUse(label: key.name, purpose: purpose)
            try self.slots.askConsent(to: use, of: try self.slots.facts(of: self.slot), in: self.slot)
        }
        return try PermittedKey(key, password: password, asking: ask)
    }

    /// The public key that goes with a private one.
    ///
    /// - Returns: nil if nothing on the token holds it.
    package func publicKeyInfo(of key: TokenObject) throws(TokensError) -> PublicKeyInfo? {
        let key = try present(key)
        let objects = if let known = known.withLock({ $0 }) { known } else { try objects() }
        if let info = objects.publicKeyInfo(of: key) { return info }
        return try self.objects(reading: { $0.isCertificate && $0.identifier == key.identifier })
            .certifiedKey(of: key)
    }

    /// The public key of an object, for a verification.
    package func verificationKey(_ key: TokenObject, mechanism: CK_MECHANISM_TYPE) throws(TokensError) -> PublicKeyInfo
    {
        let key = try present(key)
        try key.require(CKA_VERIFY, otherwise: true, mechanism)
        guard let info = key.publicKeyInfo else {
            throw .refused(.keyType, "the public key is of no known algorithm, or not on its curve")
        }
        return info
    }
}

extension TokenObject {
    /// Makes sure that a key may be used so, and by this mechanism.
    fileprivate func require(
        _ use: CK_ATTRIBUTE_TYPE, otherwise isUsual: Bool, _ mechanism: CK_MECHANISM_TYPE
    ) throws(TokensError) {
        guard self[use].map({ $0 == [1] }) ?? isUsual else {
            throw .refused(.permission, "the key's maker has not permitted this use of it")
        }
        guard allows(mechanism: mechanism) else {
            throw .refused(.mechanism, "the key's maker has not permitted this mechanism")
        }
    }
}

extension PublicKeyInfo {
    /// X ‖ Y, as a key agreement needs it; nil for RSA.
    fileprivate var point: [UInt8]? {
        switch self {
        case .gost(let info): info.key.bytes
        case .ec(let key): Array(key.point.dropFirst())
        case .rsa: nil
        }
    }

    /// Whether a signature belongs to a digest.
    ///
    /// - Parameter scheme: nil but for keys of RSA.
    /// - Throws: `HostCryptoError.invalidSignatureLength` for a signature of another length than the key's.
    package func isValidSignature(
        _ signature: [UInt8], of digest: [UInt8], _ scheme: RSASignatureScheme?
    ) throws(TokensError) -> Bool {
        do {
            switch (self, scheme) {
            case (.gost(let info), nil):
                guard signature.count == 2 * info.key.curve.coordinateSize else {
                    throw HostCryptoError.invalidSignatureLength
                }
                return try info.key.isValidSignature(signature, digest: digest)
            case (.ec(let key), nil): return try key.isValidSignature(signature.span, of: digest.span)
            case (.rsa(let key), let scheme?):
                return try key.isValidSignature(signature.span, of: digest.span, scheme)
            default: return false
            }
        } catch let error as HostCryptoError {
            throw .computation(error)
        } catch {
            throw .gost(error as? GOSTError ?? .libraryFailure)
        }
    }

    /// Whether a signature belongs to a digest. A signature of another length than the key's does not.
    package func accepts(
        _ signature: [UInt8], of digest: [UInt8], _ scheme: RSASignatureScheme?
    ) throws(TokensError) -> Bool {
        do throws(TokensError) { return try isValidSignature(signature, of: digest, scheme) } catch {
            guard case .computation(.invalidSignatureLength) = error else { throw error }
            return false
        }
    }
}
