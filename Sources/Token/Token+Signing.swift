import APDU
import GOST

extension Token {
    /// Signs a digest with a private key of the token (PSO COMPUTE DIGITAL SIGNATURE). Needs User's login.
    ///
    /// - Parameter digest: As long as the curve's coordinates, in the octet order of the hash function.
    /// - Returns: s ‖ r, each big-endian, as long as the coordinates.
    package func sign(digest: [UInt8], with key: TokenKey) throws(TokenError) -> [UInt8] {
        try transaction(first: .act) { card throws(TokenError) in
            try card.requireLogin(.user)
            let size = key.curve.coordinateSize
            let commands: [CardCommand] = [
                .setKey(key.number, for: .signature), .computeSignature(digest, ne: 2 * size),
            ]
            let responses = try card.sendFirst(commands, asking: !card.isPlain)
            guard let last = responses.last else { throw .malformedAnswer }
            let answer = try card.data(of: last)
            guard responses.count == 2, answer.count == 2 * size else { throw .malformedAnswer }
            // The card is little-endian throughout: r ‖ s reversed as a whole is s ‖ r in the standard's order.
            return answer.reversed()
        }
    }
}
