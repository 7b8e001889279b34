import Token

extension Session {
    /// Random bytes of the token's generator.
    public func generateRandom(_ count: Int) throws(CKError) -> [UInt8] {
        try slot.withToken { token throws(TokenError) in try token.randomBytes(count) }
    }
}
