import APDU
public import GOST
public import Secrets

/// Key agreement with keys of GOST R 34.10 and of ECDH. Nobody published a command for it: this one is sent to this
/// project's tokens only.
extension Token {
    /// Whether the token takes commands that nobody published for real ones.
    public func takesOwnCommands() throws(TokenError) -> Bool {
        if let known = knownAsOwn { return known }
        return try transaction(.reading) { () throws(TokenError) in try saysItIsOwn() }
    }

    func requireOwnCommands() throws(TokenError) {
        guard try saysItIsOwn() else { throw .unsupported }
    }

    /// Whether the card says that it is one of this project's.
    private func saysItIsOwn() throws(TokenError) -> Bool {
        if let known = knownAsOwn { return known }
        let response = try send(Command(0x00, 0xCA, 0x01, 0xFE, ne: 256))
        let isOwn = response.status == .success && response.data == Array("RTEMU".utf8)
        knownAsOwn = isOwn
        return isOwn
    }

    /// VKO (RFC 4357, 5.2; RFC 7836, 4.3). Needs User's login.
    ///
    /// - Parameters:
    ///   - peer: The other side's public key X ‖ Y, little-endian.
    ///   - ukm: A little-endian number.
    ///   - hash: What the agreed point goes through.
    /// - Returns: As many bytes as the hash function gives.
    public func agree(
        _ key: TokenKey, with peer: [UInt8], ukm: [UInt8], hash: HashAlgorithm
    ) throws(TokenError) -> Secret {
        guard key.half == .privateKey else { throw .unsupported }
        var agreed = Secret(count: 0)
        var request: [UInt8] = []
        request.appendObject(0x85, peer)
        request.appendObject(0x94, ukm)
        try transaction { () throws(TokenError) in
            try requireLogin(.user)
            try requireOwnCommands()
            try perform(Command(0x00, 0x22, 0x41, 0xA6, bytes: [0x80, 0x01, hash.number, 0x84, 0x01, key.number]))
            agreed = try performSecret(
                Command(0x00, 0x86, 0x00, 0x00, bytes: .object(0x7C, request), ne: hash.digestSize))
            guard agreed.count == hash.digestSize else { throw .malformedAnswer }
        }
        return agreed
    }

    /// ECDH. Needs User's login.
    ///
    /// - Parameter peer: The other side's public key X ‖ Y, big-endian.
    /// - Returns: X of the shared point, big-endian.
    public func agree(_ key: TokenECKey, with peer: [UInt8]) throws(TokenError) -> Secret {
        guard key.half == .privateKey else { throw .unsupported }
        var agreed = Secret(count: 0)
        let request = [UInt8].object(0x85, TokenECKey.reversed(peer))
        try transaction { () throws(TokenError) in
            try requireLogin(.user)
            try requireOwnCommands()
            try perform(Command(0x00, 0x22, 0x41, 0xA6, bytes: [0x84, 0x01, key.number]))
            agreed = try performSecret(
                Command(0x00, 0x86, 0x00, 0x00, bytes: .object(0x7C, request), ne: TokenECKey.size))
            guard agreed.count == TokenECKey.size else { throw .malformedAnswer }
        }
        return agreed.reversed()
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
