// SPDX-License-Identifier: Apache-2.0
import APDU
package import GOST
import HostCrypto
package import Secrets

/// Computing with private keys of the token.
extension ConnectedToken {
    /// Signs a digest (PSO COMPUTE DIGITAL SIGNATURE). Needs User's login.
    ///
    /// Without a channel a GOST key that was set last time is not set again (MSE). Another process may have set another
    /// key since: a signature that the public key does not verify is discarded, and the key is set. So a key whose public
    /// half is unknown is set each time.
    ///
    /// - Parameter digest: In the byte order of the hash function; for GOST R 34.10 as long as the curve's coordinates.
    /// - Returns: Two numbers, each big-endian, as long as the coordinates: s ‖ r of GOST R 34.10, r ‖ s of ECDSA.
    package func sign(digest: [UInt8], with key: PermittedKey) throws(TokenError) -> [UInt8] {
        let object = key.object
        if let container = object.container { return try sign(digest: digest, with: container, key.password) }
        guard let key = object.key, let input = key.kind.digest(digest) else { throw .unsupported }
        let wanted = SecurityEnvironment(use: .signature, key: key.number)
        return try transaction(first: .act) { card throws(TokenError) in
            if !key.kind.isUsePublished { try card.requireOwnCommands() }
            try card.requireLogin(.user)
            let size = key.kind.signatureSize
            let publicKey = card.isPlain ? card.session.publicKey(of: object) : nil
            if card.session.known.environment == wanted, let publicKey {
                let answer = try card.send(.computeSignature(input, ne: size))
                let signature = key.kind.signature(answer.data)
                if answer.status == .success, publicKey.verifies(signature, of: digest) { return signature }
                // It is known to be nothing, so that the call may still begin again.
                card.session.progress.hasActed = false
            }
            let commands: [CardCommand] = [.setKey(key.number, for: .signature), .computeSignature(input, ne: size)]
            let responses = try card.send(commands, asking: !card.isPlain)
            guard let last = responses.last else { throw .malformedAnswer }
            let answer = try card.data(of: last)
            guard responses.count == 2, answer.count == size else { throw .malformedAnswer }
            let signature = key.kind.signature(answer)
            // A public key that is not this one's cannot show whose signature the next one is.
            if let publicKey, publicKey.verifies(signature, of: digest) { card.session.known.environment = wanted }
            return signature
        }
    }

    /// Agrees on a secret: VKO (RFC 4357, 5.2; RFC 7836, 4.3) or ECDH. No command for it is published: this one is sent
    /// to this project's tokens only. Needs User's login.
    ///
    /// - Parameters:
    ///   - peer: The other side's public key X ‖ Y: of GOST R 34.10 little-endian, of ECDH big-endian.
    ///   - ukm: A little-endian number, for VKO.
    ///   - hash: The hash function for the agreed point, in VKO.
    /// - Returns: As many bytes as the hash function returns; of ECDH X of the shared point, big-endian.
    package func agree(
        _ key: PermittedKey, with peer: [UInt8], ukm: [UInt8] = [], hash: HashAlgorithm? = nil
    ) throws(TokenError) -> Secret {
        if let container = key.object.container {
            return try agree(container, with: peer, ukm: ukm, hash: hash, key.password)
        }
        guard let key = key.object.key, key.half == .privateKey, let request = key.kind.agreement(with: peer, ukm: ukm)
        else { throw .unsupported }
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.requireOwnCommands()
            try card.perform(.setKey(key.number, for: .agreement, hash: hash?.number))
            let size = key.kind.agreedSize(hash)
            let agreed = try card.performSecret(CardCommand.agree(request, ne: size).apdu)
            guard agreed.count == size else { throw .malformedAnswer }
            return key.kind.agreed(agreed)
        }
    }

    /// The private operation of RSA on a block that was padded for a signature. Needs User's login.
    ///
    /// - Parameter block: As long as the modulus and below it, big-endian.
    /// - Returns: As long as the modulus, big-endian.
    package func sign(block: [UInt8], with key: PermittedKey) throws(TokenError) -> [UInt8] {
        let signature = try apply(key, to: block, for: .signature)
        return [UInt8](copying: signature)
    }

    /// The private operation of RSA on a cryptogram. Needs User's login.
    ///
    /// - Parameter block: As long as the modulus and below it, big-endian.
    /// - Returns: The padded plaintext, as long as the modulus, big-endian.
    package func decipher(block: [UInt8], with key: PermittedKey) throws(TokenError) -> Secret {
        try apply(key, to: block, for: .decipherment)
    }

    /// Has the card compute with a key of RSA (PSO), with the key set before (MSE). A key that was set last time is not
    /// set again. Without a channel another process may have replaced it since: the result of a wrong key is discarded.
    /// The card accepts whole blocks, little-endian; padding is the host's business.
    private func apply(
        _ key: PermittedKey, to block: [UInt8], for use: CardCommand.KeyUse
    ) throws(TokenError) -> Secret {
        guard let key = key.object.key, key.half == .privateKey, let kind = key.kind.rsaKey,
            block.count == kind.size.blockSize
        else { throw .unsupported }
        let wanted = SecurityEnvironment(use: use, key: key.number)
        return try transaction(first: .act) { card throws(TokenError) in
            try card.requireLogin(.user)
            if card.session.known.environment == wanted, let publicKey = kind.publicKey {
                do throws(TokenError) {
                    let result = try card.compute(block, use)
                    if publicKey.isInverse(result, of: block) { return result }
                } catch {
                    guard error.isRefusal else { throw error }
                }
                card.session.progress.hasActed = false
            }
            let setKey = CardCommand.setKey(key.number, for: use)
            for response in try card.send([setKey], asking: !card.isPlain) { _ = try card.data(of: response) }
            let result = try card.compute(block, use)
            // A result that is wrong, by a fault of the card, could give the private key away.
            guard kind.publicKey?.isInverse(result, of: block) != false else { throw .malformedAnswer }
            card.session.known.environment = wanted
            return result
        }
    }

    /// Whether the token accepts commands that are not published for real ones.
    package func supportsKanalCommands() throws(TokenError) -> Bool {
        if let known = session.known.isKanalToken { return known }
        return try transaction(first: .read) { card throws(TokenError) in try card.isKanalToken() }
    }
}

extension Transaction {
    fileprivate func compute(_ block: [UInt8], _ use: CardCommand.KeyUse) throws(TokenError) -> Secret {
        // PSO COMPUTE DIGITAL SIGNATURE, or DECIPHER.
        let (p1, p2): (UInt8, UInt8) = use == .signature ? (0x9E, 0x9A) : (0x80, 0x86)
        let answer = try performLong(0x2A, p1, p2, Secret(copying: block.reversed()), ne: block.count)
        guard answer.count == block.count else { throw .malformedAnswer }
        return answer.reversed()
    }

    func requireOwnCommands() throws(TokenError) {
        guard try isKanalToken() else { throw .unsupported }
    }

    /// Whether the card reports that it is this project's.
    fileprivate func isKanalToken() throws(TokenError) -> Bool {
        if let known = session.known.isKanalToken { return known }
        let response = try send(.productName)
        let isKanal = response.status == .success && response.data == Array("RTEMU".utf8)
        session.known.isKanalToken = isKanal
        return isKanal
    }
}

extension HashAlgorithm {
    /// The function's number in MANAGE SECURITY ENVIRONMENT.
    fileprivate var number: UInt8 {
        switch self {
        case .gostR341194: 1
        case .streebog256: 2
        case .streebog512: 3
        }
    }
}

extension CardSession {
    /// The public half of a pair of GOST keys, as the last search found it.
    fileprivate func publicKey(of object: TokenObject) -> PublicKey? {
        guard let key = object.key, key.kind.gostKey != nil, let known = known.objects else { return nil }
        for other in known.objects {
            guard let half = other.key, half.half == .publicKey, let kind = half.kind.gostKey,
                half.number == key.number || half.number == 0 && !other.id.isEmpty && other.id == object.id,
                let value = kind.value, let publicKey = try? PublicKey(curve: kind.curve, bytes: value)
            else { continue }
            return publicKey
        }
        return nil
    }
}

extension PublicKey {
    fileprivate func verifies(_ signature: [UInt8], of digest: [UInt8]) -> Bool {
        (try? isValidSignature(signature, digest: digest)) == true
    }
}

extension RSAKey {
    fileprivate var publicKey: RSAPublicKey? {
        guard let modulus, let publicExponent else { return nil }
        return try? RSAPublicKey(modulus: modulus, publicExponent: publicExponent)
    }
}

extension RSAPublicKey {
    /// Whether the public operation makes `block` of the result.
    fileprivate func isInverse(_ result: borrowing Secret, of block: [UInt8]) -> Bool {
        (try? encrypt(result.bytes, .raw)) == block
    }
}

extension TokenError {
    /// Whether the card lacked the environment to compute with.
    fileprivate var isRefusal: Bool {
        switch self {
        case .refused, .notFound: true
        default: false
        }
    }
}

extension Secret {
    /// The bytes from the last to the first.
    borrowing func reversed() -> Secret {
        var result = Secret(count: count)
        var span = result.mutableBytes
        for index in 0..<count { span[count - 1 - index] = bytes[index] }
        return result
    }
}
