import APDU
package import GOST
package import Secrets

/// Key agreement with keys of GOST R 34.10 and of ECDH. Nobody published a command for it: this one is sent to this
/// project's tokens only.
extension Token {
    /// Whether the token takes commands that nobody published for real ones.
    package func takesOwnCommands() throws(TokenError) -> Bool {
        if let known = session.known.isOwn { return known }
        return try transaction(first: .read) { card throws(TokenError) in try card.saysItIsOwn() }
    }

    /// VKO (RFC 4357, 5.2; RFC 7836, 4.3). Needs User's login.
    ///
    /// - Parameters:
    ///   - peer: The other side's public key X ‖ Y, little-endian.
    ///   - ukm: A little-endian number.
    ///   - hash: What the agreed point goes through.
    /// - Returns: As many bytes as the hash function gives.
    package func agree(
        _ key: TokenKey, with peer: [UInt8], ukm: [UInt8], hash: HashAlgorithm
    ) throws(TokenError) -> Secret {
        guard key.half == .privateKey else { throw .unsupported }
        let request: [UInt8] = .object(0x85, peer) + .object(0x94, ukm)
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.requireOwnCommands()
            try card.perform(.setKey(key.number, for: .agreement, hash: hash.number))
            return try card.agree(request, count: hash.digestSize)
        }
    }

    /// ECDH. Needs User's login.
    ///
    /// - Parameter peer: The other side's public key X ‖ Y, big-endian.
    /// - Returns: X of the shared point, big-endian.
    package func agree(_ key: TokenECKey, with peer: [UInt8]) throws(TokenError) -> Secret {
        guard key.half == .privateKey else { throw .unsupported }
        let request = [UInt8].object(0x85, TokenECKey.reversed(peer))
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.requireOwnCommands()
            try card.perform(.setKey(key.number, for: .agreement))
            return try card.agree(request, count: TokenECKey.size).reversed()
        }
    }
}

extension Transaction {
    func requireOwnCommands() throws(TokenError) {
        guard try saysItIsOwn() else { throw .unsupported }
    }

    /// Whether the card says that it is one of this project's.
    fileprivate func saysItIsOwn() throws(TokenError) -> Bool {
        if let known = session.known.isOwn { return known }
        let response = try send(.ownName)
        let isOwn = response.status == .success && response.data == Array("RTEMU".utf8)
        session.known.isOwn = isOwn
        return isOwn
    }

    /// The point that the key set before and the other side's agree on.
    fileprivate func agree(_ request: [UInt8], count: Int) throws(TokenError) -> Secret {
        let agreed = try performSecret(CardCommand.agree(request, ne: count).apdu)
        guard agreed.count == count else { throw .malformedAnswer }
        return agreed
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
