// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// Signs a string for the state's identity service, in the form of version 2.90 and later: the signature alone.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - key: Of GOST with 256 bits, or of RSA.
    /// - Returns: The signature in base64url without padding: for GOST s and r, big-endian, 32 bytes each; for RSA,
    ///   RSASSA-PKCS1-v1_5 with SHA-256.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for a key of another kind.
    public func clientSecret(signing text: [UInt8], with key: KeyPair) throws(KanalError) -> String {
        try key.kind.requireService()
        return Base64URL.text(try sign(text.span, with: key))
    }

    /// Signs a string for the state's identity service as it was wanted before version 2.90: a message that does not
    /// contain the string.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - certificate: The signer's, whose private key is on the token: of GOST with 256 bits, or of RSA.
    /// - Returns: CMS SignedData in base64url without padding.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for a key of another kind.
    public func clientSecret(signing text: [UInt8], by certificate: TokenCertificate) throws(KanalError) -> String {
        try certificate.summary().key.requireService()
        return Base64URL.text(try signedMessage(of: text, by: certificate, isDetached: true))
    }

    /// The key pair of a certificate.
    func keyPair(of certificate: TokenCertificate) throws(KanalError) -> KeyPair {
        let certified = try PublicKey(of: certificate.value)
        for pair in try keyPairs() where pair.id == certificate.id {
            let info = try publicKeyInfo(of: pair)
            if try PublicKey(info: info) == certified { return pair }
        }
        throw .invalidArgument("the key of the certificate is not on the token")
    }
}

extension KeyKind {
    /// Refuses a key that the service does not know.
    fileprivate func requireService() throws(KanalError) {
        switch self {
        case .gost256, .rsa: return
        default: throw .invalidArgument("the identity service takes keys of GOST with 256 bits and of RSA")
        }
    }
}
