// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// The part of an operation that only the private key can do: in this process with a key of a session, on the token with
/// a key of the token. Hashing and padding are the host's part with both.
extension Session {
    /// The place where a private key computes. Boxed, as Swift 6.3 otherwise distinguishes the cases by bits that it does
    /// not set in each, and valgrind reports the branch.
    indirect enum Place {
        case token(PermittedKey)
        case process(SessionKey)
    }

    /// Returns the place where a private key computes, if it may be used now. Every use of one comes through here.
    ///
    /// The user is asked for consent here, if that is wanted: the use is known as a whole by now, and nothing of it is done.
    ///
    /// - Throws: The errors of ``requireUsable(_:)`` and ``requireConsent(to:with:)``.
    func place(of key: Object, for purpose: KeyUse.Purpose) throws(CKError) -> Place {
        try requireUsable(key)
        let ask = { () throws(CKError) in try self.requireConsent(to: purpose, with: key) }
        switch key.home {
        case .token(let object, _) where object.key != nil:
            return .token(try PermittedKey(object, password: key.authentication?.password, asking: ask))
        case .session(_, let key?):
            try ask()
            return .process(key)
        default: throw .keyHandleInvalid("no private key is behind the handle")
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
        guard let object = key.tokenObject else { return }
        try tokensError { () throws(TokensError) in try slot.place.requireAgreement(with: object) }
    }

    /// A signature of RSA.
    func sign(
        _ input: [UInt8], _ scheme: RSASignatureScheme, with key: Object, for purpose: KeyUse.Purpose
    ) throws(CKError) -> [UInt8] {
        switch try place(of: key, for: purpose) {
        case .token(let key):
            return try tokensError { () throws(TokensError) in try slot.place.sign(input, scheme, with: key) }
        case .process(let key): return try key.sign(input, scheme)
        }
    }

    /// The plaintext of a cryptogram of RSA.
    func decrypt(_ ciphertext: Span<UInt8>, _ scheme: RSAEncryptionScheme, with key: Object) throws(CKError) -> Secret {
        try requireUsable(key)
        let block = [UInt8](copying: ciphertext)
        guard try block.count == (key.modulusBits() + 7) / 8 else { throw .encryptedDataLengthRange }
        guard key.tokenObject?.key?.kind.rsaKey?.covers(block) != false else { throw .encryptedDataInvalid }
        switch try place(of: key, for: .decryption(block, isPadded: scheme != .raw)) {
        case .token(let key):
            return try tokensError { () throws(TokensError) in try slot.place.decrypt(block, scheme, with: key) }
        case .process(let key): return try key.decrypt(ciphertext, scheme)
        }
    }
}

extension Object {
    /// The length of a key of RSA in bits.
    func modulusBits() throws(CKError) -> Int {
        if let key = tokenObject?.key?.kind.rsaKey { return key.size.bits }
        do throws(HostCryptoError) { return try attributes.rsaPublicKey().bitCount } catch {
            guard error != .libraryFailure else { throw .hostFailed }
            throw .keyHandleInvalid("the key's CKA_MODULUS and CKA_PUBLIC_EXPONENT are not a key of RSA")
        }
    }
}
