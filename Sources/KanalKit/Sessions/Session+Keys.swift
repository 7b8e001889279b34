// SPDX-License-Identifier: Apache-2.0

import Asking
import Containers
import HostCrypto
import Locking
import Secrets
import Token
import Tokens
import Translation

/// The kind of a key pair: algorithm and size.
public enum KeyKind: Sendable, Hashable {
    /// GOST R 34.10-2012 with 256 bits. The parameter set is CryptoPro's A.
    case gost256
    /// GOST R 34.10-2012 with 512 bits. The parameter set is TK 26's A.
    case gost512
    /// GOST R 34.10-2001, which signs digests of GOST R 34.11-94. Such keys come from files and from other programs; none
    /// are made.
    case gost2001
    /// RSA with a modulus of so many bits.
    case rsa(bits: Int)
    /// ECDSA on the curve P-256.
    case p256
    /// A pair that another program made and that this library only lists.
    case other
}

/// A key pair on a token. The private key never leaves it.
public struct KeyPair: Sendable, Equatable {
    /// The kind of the pair: algorithm and size.
    public let kind: KeyKind
    /// The identifier that both halves and their certificate share.
    public let id: [UInt8]
    /// The name that it was given.
    public let label: String
    /// Whether the key is in a container with a password of its own, which each use needs; see
    /// ``Session/askForPasswords(by:)``.
    public let needsPassword: Bool
    let privateKey: ObjectReference
    let publicKey: ObjectReference?
}

extension Session {
    /// The key pairs on the token. They are seen after the PIN only.
    public func keyPairs() throws(KanalError) -> [KeyPair] {
        try call { session throws(TokensError) in try session.objects() }.keyPairs.map { KeyPair($0) }
    }

    /// Whether a certificate on the token has a key pair's identifier. None is read.
    public func hasCertificate(for keyPair: KeyPair) throws(KanalError) -> Bool {
        try call { session throws(TokensError) in try session.objects() }
            .contains { $0.isCertificate && $0.identifier == keyPair.id }
    }

    /// Makes a key pair on the token. RSA takes many seconds, in one command, during which the token does not tell how far
    /// it is.
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
    /// - Throws: ``KanalError/invalidArgument(_:)`` if nothing on the token tells it.
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
    /// - Parameter ask: Gives the password of the key with this label. It is called again if the last answer was wrong.
    ///   ``KanalError/cancelled`` ends the use so, ``KanalError/passwordIncorrect(triesLeft:)`` as a wrong password does;
    ///   other errors become ``KanalError/askingFailed(_:)``.
    public func askForPasswords(
        by ask: @escaping @Sendable (_ label: String, _ wasWrong: Bool) throws -> PIN
    ) {
        tokenSession.passwords.withLock { $0 = PasswordAsking.question(ask) }
    }
}

/// The way to the password of a container for all work of a task, with which each of its sessions begins. It is an object:
/// optimised code of Swift 6.3 crashes when a closure itself is the value of a task.
package final class PasswordAsking: Sendable {
    /// As the parameter of ``Session/askForPasswords(by:)``.
    package typealias Question = @Sendable (_ label: String, _ wasWrong: Bool) throws -> PIN

    /// nil for the authenticator of `kanal.conf`.
    @TaskLocal package static var current: PasswordAsking?

    private let ask: Question

    package init(_ ask: @escaping Question) { self.ask = ask }

    var question: PasswordQuestion { Self.question(ask) }

    static func question(_ ask: @escaping Question) -> PasswordQuestion {
        { label, fault throws(TokensError) in
            do { return try ask(label, fault != nil).secret } catch {
                switch error {
                case KanalError.cancelled: throw .unanswered(.cancelled)
                case KanalError.passwordIncorrect: throw .token(.container(.password))
                case let error as any Explained: throw .unanswered(.failed(error.explanation))
                default: throw .unanswered(.failed(Phrase(verbatim: "\(error)")))
                }
            }
        }
    }
}

extension KeyPair {
    init(_ pair: KeyPairObjects) {
        kind = KeyKind(pair.privateKey)
        id = pair.privateKey.identifier
        label = pair.privateKey.name
        needsPassword = pair.privateKey.container?.needsPassword == true
        privateKey = ObjectReference(pair.privateKey)
        publicKey = pair.publicKey.map { ObjectReference($0) }
    }
}

extension KeyKind {
    /// The kind of a half of a pair.
    init(_ object: TokenObject) {
        self =
            switch object.keyTypeName {
            case .gost256: object.isOf2001 ? .gost2001 : .gost256
            case .gost512: .gost512
            case .rsa: .rsa(bits: object.modulusBits ?? 0)
            case .ec where object.ecParameters == ECCurve.p256.oid: .p256
            case .ec, nil: .other
            }
    }

    fileprivate var newKeyPair: NewKeyPair {
        get throws(KanalError) {
            switch self {
            case .gost256: .gost256
            case .gost512: .gost512
            case .rsa(let bits): .rsa(bits: bits)
            case .p256: .p256
            case .gost2001, .other: throw .invalidArgument("this kind of key pair cannot be made")
            }
        }
    }
}
