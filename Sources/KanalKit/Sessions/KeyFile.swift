// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import Token
import Tokens
import Translation

/// The private keys of a file, with their certificates.
package struct KeyFile: Sendable {
    private let pfx: PFX

    /// Whether a file has a password: a PFX always, even if it is empty, and a key of PKCS #8 that is encrypted.
    package static func hasPassword(_ file: [UInt8]) -> Bool { PFX.Form(of: file.span) != .key }

    /// Whether a file has the names of its keys in it.
    package static func hasNames(_ file: [UInt8]) -> Bool { PFX.Form(of: file.span) == .pfx }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - file: A PFX or a key of PKCS #8, in DER.
    ///   - password: The file's password.
    ///   - certificate: A certificate of one of the keys, if the file has none.
    ///   - proceeds: Called during long work with the steps done and all steps of a part of it; false ends the work.
    /// - Throws: As ``Session/importPFX(_:password:label:agrees:)``; ``KanalError/cancelled``.
    package init(
        _ file: [UInt8], password: borrowing PIN, certificate: [UInt8]? = nil,
        proceeds: @escaping (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(KanalError) {
        let secret = password.secret.secret.copy()
        let form = PFX.Form(of: file.span)
        var pfx: PFX
        do throws(PFXError) {
            pfx =
                form == .pfx
                ? try PFX(parsing: file.span, password: secret, proceeds: proceeds)
                : try PFX(privateKey: file.span, password: secret, proceeds: proceeds)
        } catch {
            switch error {
            case .wrongPassword: throw .passwordIncorrect(triesLeft: nil)
            case .cancelled: throw .cancelled
            case .libraryFailure: throw KanalError(host: .libraryFailure)
            default:
                throw form == .pfx
                    ? .invalidArgument("the PFX file cannot be read: \(error.explanation)")
                    : .invalidArgument("the private key cannot be read: \(error.explanation)")
            }
        }
        guard !pfx.keys.isEmpty else { throw .invalidArgument("the PFX file has no private key") }
        if let certificate {
            do throws(PFXError) { try pfx.add(certificate: certificate) } catch {
                throw .invalidArgument("the certificate does not belong to the private key")
            }
        }
        self.pfx = pfx
    }

    fileprivate var contents: PFX { pfx }
}

extension Session {
    /// Puts the private keys of a PFX file (PKCS #12) onto the token, with their public keys and certificates. They cannot
    /// be read back.
    ///
    /// - Parameters:
    ///   - file: The file's bytes. Nothing of them is written to disk.
    ///   - password: The file's password.
    ///   - label: A name for the key pairs; nil for the file's own names.
    ///   - agrees: Whether the keys may agree on secrets (``agree(by:with:using:)``), as encrypted messages need it, which
    ///     cannot be changed later. Keys of RSA do not.
    /// - Throws: ``KanalError/passwordIncorrect(triesLeft:)`` for a wrong password; ``KanalError/invalidArgument(_:)`` for a
    ///   file that cannot be read, with the reason, or with a key that is on the token already. Keys before a refused
    ///   one stay.
    public func importPFX(
        _ file: [UInt8], password: borrowing PIN, label: String? = nil, agrees: Bool = false
    ) throws(KanalError) -> [KeyPair] {
        let opened = try KeyFile(file, password: password)
        return try importKeys(of: opened, label: label, agrees: agrees)
    }

    /// Puts the private keys of a file onto the token. See ``importPFX(_:password:label:agrees:)``.
    package func importKeys(
        of file: KeyFile, label: String? = nil, agrees: Bool = false
    ) throws(KanalError) -> [KeyPair] {
        let pfx = file.contents
        if agrees, pfx.keys.contains(where: \.isRSA) { throw .invalidArgument("a key of RSA agrees on no secrets") }
        if let present = try call({ session throws(TokensError) in try session.presentKey(of: pfx) }) {
            let (name, id) = (present.name, present.identifier.hexadecimal)
            let caption = name.isEmpty ? id : "\(name) (\(id))"
            throw .invalidArgument("the key \(caption) of the file is on the token already")
        }
        var pairs: [KeyPair] = []
        for key in pfx.keys {
            do throws(KanalError) {
                let imported = try call { session throws(TokensError) in
                    try session.importPFX(key, of: pfx, label: label.map { Array($0.utf8) }, agrees: agrees)
                }
                pairs.append(KeyPair(imported.pair))
            } catch {
                guard !pairs.isEmpty, case .refused(let code, let reason) = error else { throw error }
                throw .refused(
                    code: code,
                    reason:
                        "keys of the file that are on the token now: \(pairs.count); the next one: \(reason.phrase)")
            }
        }
        return pairs
    }
}

extension PFX.Key {
    fileprivate var isRSA: Bool {
        if case .rsa = publicKey { true } else { false }
    }
}

extension PFXError {
    /// The cause, for people.
    fileprivate var explanation: Phrase {
        switch self {
        case .wrongPassword: "the password is wrong"
        case .invalidPassword: "the password is not text in UTF-8"
        case .damaged: "it is neither a PFX file nor a key of PKCS #8, or damaged"
        case .unsupported(let identifier):
            "it uses an algorithm or a form that is not supported (\(Self.caption(ofUnsupported: identifier)))"
        case .unauthenticated: "it has no checksum under the password (MAC), so that a change would not be noticed"
        case .tooLarge: "it is longer than 1 MiB, or has more than 16 keys or 256 certificates and other things in it"
        case .tooManyIterations(let iterations):
            """
            it wants \(iterations) iterations for a key from the password, which is too much work: all keys together may \
            take \(PFX.workLimit) computations of a hash function, up to four in each iteration
            """
        case .keyMismatch: "no certificate in it belongs to its private key"
        case .invalidKey: "its private key is not valid, or of a size or on a curve that is not supported"
        case .ambiguousKey:
            """
            its GOST key is an ECPrivateKey without the public key that shows the order of its bytes, or with another \
            key's: write it again as PKCS #8 of GOST
            """
        case .cancelled: "cancelled"
        case .libraryFailure: "libcrypto has failed"
        }
    }

    private static func caption(ofUnsupported identifier: String) -> String {
        PFX.name(ofUnsupported: identifier).map { "\(identifier), \($0)" } ?? identifier
    }
}
