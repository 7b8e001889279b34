import CCryptoki

/// Whether the user has presented the PIN for one use of a key that wants it for each (`CKA_ALWAYS_AUTHENTICATE`).
final class Authentication {
    var isGiven = false
}

extension Session {
    /// The key for an operation, which may have to wait for a PIN of its own (PKCS #11 v2.40, 4.9).
    func authenticating(_ key: Object) throws(CKError) -> Object {
        guard try key.attributes.bool(CKA_ALWAYS_AUTHENTICATE) == true else { return key }
        var key = key
        let authentication = Authentication()
        key.authentication = authentication
        self.authentication = authentication
        return key
    }
}
