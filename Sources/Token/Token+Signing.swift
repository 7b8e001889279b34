import APDU
import GOST

extension Token {
    /// Signs a digest with a private key of the token (PSO COMPUTE DIGITAL SIGNATURE). Needs User's login.
    ///
    /// - Parameter digest: As long as the curve's coordinates, in the octet order of the hash function.
    /// - Returns: s ‖ r, each big-endian, as long as the coordinates.
    public func sign(digest: [UInt8], with key: TokenKey) throws(TokenError) -> [UInt8] {
        try transaction(.acting) { () throws(TokenError) in
            try requireLogin(.user)
            let size = key.curve.coordinateSize
            let setKey = Step(0x00, 0x22, 0x41, 0xB6, bytes: [0x84, 0x01, key.number])
            let sign = Step(0x00, 0x2A, 0x9E, 0x9A, bytes: digest, ne: 2 * size)
            let responses = try sendFirst([setKey, sign], asking: !isPlain)
            guard let last = responses.last else { throw .malformedAnswer }
            let answer = try data(of: last)
            guard responses.count == 2, answer.count == 2 * size else { throw .malformedAnswer }
            // The card is little-endian throughout: r ‖ s reversed as a whole is s ‖ r in the standard's order.
            return answer.reversed()
        }
    }
}
