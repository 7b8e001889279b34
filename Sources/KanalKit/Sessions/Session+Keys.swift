// SPDX-License-Identifier: Apache-2.0

import Asking
import Containers
import HostCrypto
import Locking
import Secrets
import Token
import Tokens
import Translation

extension Session {
    /// The key pairs on the token. They are seen after the PIN only.
    public func keyPairs() throws(KanalError) -> [KeyPair] {
        try call { session throws(TokensError) in try session.objects() }.keyPairs.map { KeyPair($0) }
    }

    /// The key pair of a certificate.
    package func keyPair(of certificate: TokenCertificate) throws(KanalError) -> KeyPair {
        let certified = try PublicKey(of: certificate.value)
        for pair in try keyPairs() where pair.id == certificate.id {
            let info = try publicKeyInfo(of: pair)
            if try PublicKey(info: info) == certified { return pair }
        }
        throw .invalidArgument("the key of the certificate is not on the token")
    }

    /// Whether a certificate on the token has a key pair's identifier. None is read.
    public func hasCertificate(for keyPair: KeyPair) throws(KanalError) -> Bool {
        try call { session throws(TokensError) in try session.objects() }
            .contains { $0.isCertificate && $0.identifier == keyPair.id }
    }

    /// Makes a key pair on the token. RSA needs many seconds, in one command, during which the token does not report
    /// progress.
    ///
    /// - Parameters:
    ///   - id: The identifier that both halves get, and that a certificate should get.
    ///   - canAgree: Whether the key may agree on secrets (``agree(by:with:using:)``), which cannot be changed later. Keys of
    ///     RSA do not.
    public func generateKeyPair(
        _ kind: KeyKind, id: [UInt8], label: String, canAgree: Bool = false
    ) throws(KanalError) -> KeyPair {
        let new = try kind.newKeyPair
        if case .rsa = kind, canAgree { throw .invalidArgument("a key of RSA agrees on no secrets") }
        return KeyPair(
            try call { session throws(TokensError) in
                try session.generateKeyPair(new, id: id, label: Array(label.utf8), agrees: canAgree)
            })
    }

    /// Removes a key pair from the token, for ever.
    public func delete(_ keyPair: KeyPair) throws(KanalError) {
        try delete(keyPair.privateKey)
        if let publicKey = keyPair.publicKey { try delete(publicKey) }
    }

    /// The public key of a pair, a SubjectPublicKeyInfo in DER (RFC 5280, 4.1), as certificates and files of public keys
    /// have it.
    ///
    /// - Throws: ``KanalError/invalidArgument(_:)`` if nothing on the token states it.
    public func publicKeyInfo(of keyPair: KeyPair) throws(KanalError) -> [UInt8] {
        let info = try call { session throws(TokensError) in
            try session.publicKeyInfo(of: keyPair.privateKey.object)
        }
        guard let info else { throw .invalidArgument("the key pair's public key is not on the token") }
        return info.der
    }
}

extension Session {
    /// Has `ask` called for the password of a container, before each use of a key in it, until the block of
    /// `Token.perform` ends. Without it the authenticator of `kanal.conf` asks the user. The password is not kept, and
    /// nothing counts wrong ones; after the third the use fails.
    ///
    /// - Parameter ask: Returns the password of the key with this label. It is called again if the last answer was
    ///   wrong. ``KanalError/cancelled`` ends the use so, ``KanalError/passwordIncorrect(triesLeft:)`` as a wrong
    ///   password does; other errors become ``KanalError/askingFailed(_:)``.
    public func askForPasswords(
        by ask: @escaping @Sendable (_ label: String, _ wasWrong: Bool) throws -> PIN
    ) {
        tokenSession.passwords.withLock { $0 = PasswordAsking.question(ask) }
    }
}
