import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token

/// The part of an operation that needs the private key. A key of a session computes in this process, a key of the token
/// on the token. The host hashes and pads for both.
extension Session {
    /// The signature of a digest by GOST R 34.10 or ECDSA.
    func sign(digest: [UInt8], with key: Object) throws(CKError) -> [UInt8] {
        try requireUsable(key)
        switch key.home {
        case .token(.key(let key), _):
            return try slot.withToken(usesKey: true) { token throws(TokenError) in
                try token.sign(digest: digest, with: key)
            }
        case .token(.ecKey(let key), _):
            return try slot.withToken(usesKey: true) { token throws(TokenError) in
                try token.sign(digest: digest, with: key)
            }
        case .session(_, let key?): return try key.sign(digest: digest, random: slot.settings.random)
        default: throw .keyHandleInvalid("no private key is behind the handle")
        }
    }

    /// The secret that a key of GOST R 34.10 and the other side's public key agree on.
    func agree(
        _ parameters: AgreementParameters, _ derivation: KeyDerivation, sBox: SBox, with key: Object
    ) throws(CKError) -> Secret {
        try requireUsable(key)
        switch key.home {
        case .token(.key(let key), _): return try agree(key, parameters, derivation, sBox: sBox)
        case .session(_, let key?): return try key.agree(parameters, derivation, sBox: sBox)
        default: throw .keyHandleInvalid("no private key is behind the handle")
        }
    }

    /// The secret that a key of the token agrees on.
    private func agree(
        _ key: TokenKey, _ parameters: AgreementParameters, _ derivation: KeyDerivation, sBox: SBox
    ) throws(CKError) -> Secret {
        try requireAgreement()
        let size = key.curve.coordinateSize
        return try parameters.agree(size: size, derivation, sBox: sBox) { peer, ukm, hash throws(CKError) in
            // All lengths and numbers but those of the key come with the mechanism.
            guard (try? PublicKey(curve: key.curve, bytes: peer)) != nil, ukm.count <= size else {
                throw .mechanismParameterInvalid(
                    "pPublicData is no point of the key's curve, or pUKM has \(ukm.count) octets, above \(size)")
            }
            return try slot.withToken(usesKey: true) { token throws(TokenError) in
                try token.agree(key, with: peer, ukm: ukm, hash: hash)
            }
        }
    }

    /// The shared secret of ECDH.
    func sharedSecret(of key: Object, with peer: ECPublicKey) throws(CKError) -> Secret {
        try requireUsable(key)
        switch key.home {
        case .token(.ecKey(let key), _):
            try requireAgreement()
            guard peer.curve.oid == key.parameters else {
                throw .mechanismParameterInvalid("pPublicData is no point of the key's curve")
            }
            let point = Array(peer.point.dropFirst())
            return try slot.withToken(usesKey: true) { token throws(TokenError) in try token.agree(key, with: point) }
        case .session(_, let key?): return try key.sharedSecret(with: peer)
        default: throw .keyHandleInvalid("no private key is behind the handle")
        }
    }

    /// - Throws: `CKR_MECHANISM_INVALID` unless the token agrees on secrets.
    private func requireAgreement() throws(CKError) {
        let isPossible = try slot.withToken { token throws(TokenError) in try token.takesOwnCommands() }
        guard isPossible else { throw .mechanismInvalid("the token agrees on no secrets") }
    }

    /// A signature of RSA.
    func sign(_ input: [UInt8], _ scheme: RSASignatureScheme, with key: Object) throws(CKError) -> [UInt8] {
        try requireUsable(key)
        switch key.home {
        case .token(.rsaKey(let key), _):
            let block: [UInt8]
            do throws(HostCryptoError) {
                block = try scheme.block(of: input.span, bitCount: key.bits, random: slot.settings.random)
            } catch {
                throw CKError(error)
            }
            guard key.covers(block) else { throw .dataInvalid }
            return try slot.withToken(usesKey: true) { token throws(TokenError) in
                try token.sign(block: block, with: key)
            }
        case .session(_, let key?): return try key.sign(input, scheme)
        default: throw .keyHandleInvalid("no private key is behind the handle")
        }
    }

    /// The plaintext of a cryptogram of RSA.
    func decrypt(
        _ ciphertext: Span<UInt8>, _ scheme: RSAEncryptionScheme, with key: Object
    ) throws(CKError) -> Secret {
        try requireUsable(key)
        switch key.home {
        case .token(.rsaKey(let key), _):
            let block = [UInt8](copying: ciphertext)
            guard block.count == key.bits / 8 else { throw .encryptedDataLengthRange }
            guard key.covers(block) else { throw .encryptedDataInvalid }
            let padded = try slot.withToken(usesKey: true) { token throws(TokenError) in
                try token.decipher(block: block, with: key)
            }
            do throws(HostCryptoError) { return try scheme.plaintext(of: padded) } catch { throw CKError(error) }
        case .session(_, let key?): return try key.decrypt(ciphertext, scheme)
        default: throw .keyHandleInvalid("no private key is behind the handle")
        }
    }
}

extension TokenRSAKey {
    /// Whether a block as long as the modulus is a smaller number. True if the modulus is not known.
    fileprivate func covers(_ block: [UInt8]) -> Bool { modulus.map { block.lexicographicallyPrecedes($0) } ?? true }
}

extension Object {
    /// The length of a key of RSA in bits.
    func modulusBits() throws(CKError) -> Int {
        if let tokenRSAKey { return tokenRSAKey.bits }
        do throws(HostCryptoError) { return try attributes.rsaPublicKey().bitCount } catch {
            throw .keyHandleInvalid("the key's CKA_MODULUS and CKA_PUBLIC_EXPONENT are no key of RSA")
        }
    }
}
