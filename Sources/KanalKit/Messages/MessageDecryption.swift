// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import Translation

/// A message that was decrypted.
public struct DecryptedMessage: Sendable, Equatable {
    /// Whether the message has a code, which is right. Without one it is unknown whether the content is as the sender
    /// encrypted it.
    public let isAuthenticated: Bool
    /// The name of the key that opened it.
    public let keyLabel: String
}

/// Why an encrypted message could not be opened.
public enum DecryptionFault: Error, Sendable, Equatable {
    /// Not an encrypted message, or damaged or truncated.
    case malformed
    /// A cipher, or a way to the content key, that is not known here.
    case unsupported
    /// It is encrypted to others: no key on the token, or none that its certificates name, is a recipient's.
    case noRecipient
    /// The certificate of a recipient is on the token, its key is not.
    case noKey
    /// The sender's certificate is needed, and is neither in the message nor given.
    case noSender
    /// The recipient's key may not agree on secrets: its maker has not permitted that.
    case keyMayNotAgree
    /// The token has no command by which a key agrees on secrets.
    case tokenCannotAgree
    /// The key does not open what was encrypted for it: the message is damaged, or was made for another key.
    case wrongKey
    /// The content was changed since its encryption: its code or its padding is wrong.
    case changed
}

extension DecryptionFault: CustomStringConvertible {
    public var description: String { explanation.description }

    var explanation: Phrase {
        switch self {
        case .malformed: "it is not an encrypted message, or is damaged or truncated"
        case .unsupported: "its cipher, or the way in which its key is encrypted, is not known here"
        case .noRecipient: "it is encrypted to others: none of its recipients has a key on this token"
        case .noKey: "the certificate of a recipient is on the token, its key is not"
        case .noSender: "it is made with the sender's key, whose certificate is missing"
        case .keyMayNotAgree:
            """
            the key may not agree on secrets, which was decided when it was made: keys for messages come from "kanal key \
            generate --agree" and "kanal key import --agree"
            """
        case .tokenCannotAgree:
            """
            the token agrees on no secrets, as no vendor has published a command for it: only its RSA keys, and keys of \
            key containers, open messages
            """
        case .wrongKey: "the key does not open what is encrypted for it: it is damaged, or was made for another key"
        case .changed: "its content was changed on the way, or is damaged"
        }
    }
}

extension Token {
    /// Decrypts a message with a key of the token (CMS EnvelopedData, RFC 5652, 6; AuthEnvelopedData, RFC 5083). It may be
    /// too long to be kept.
    ///
    /// The beginning of the message names its recipients. The token is used once, before the content is read.
    ///
    /// - Parameters:
    ///   - message: In BER or DER; white space may follow. Cancelling the task ends the work between two pieces of it,
    ///     with ``KanalError/cancelled``.
    ///   - certificates: Further ones, in DER: for keys on the token without one there, and the sender's.
    ///   - pin: As for `Token.perform`.
    ///   - prompt: As there.
    ///   - output: Receives the next bytes of the content before the message's end is known: they must not be used
    ///     until this function has returned. Of a message without a code, only its end shows that it is whole.
    /// - Throws: ``KanalError/messageNotDecrypted(_:)``; what `output` and the message's source throw.
    @discardableResult
    public func decryptMessage(
        _ message: ByteSource, certificates: [[UInt8]] = [], pin: borrowing PIN? = nil, prompt: String? = nil,
        output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> DecryptedMessage {
        let pieces = message.pieces()
        let draft = try await inThreadOfItsOwn { isCancelled in try OpenedMessage(pieces, unless: isCancelled) }
        let key = try await perform(pin: pin, prompt: prompt) { session in
            try session.contentKey(of: draft, certificates)
        }
        try await inThreadOfItsOwn { isCancelled in
            try draft.decrypt(pieces, with: key.secret.secret, to: output, unless: isCancelled)
        }
        return DecryptedMessage(isAuthenticated: draft.encryption.cipher.isAuthenticated, keyLabel: key.label)
    }

    /// The same with an existing PIN: a stored one stays where it is.
    @discardableResult
    public func decryptMessage(
        _ message: ByteSource, certificates: [[UInt8]] = [], pin: borrowing PIN, prompt: String? = nil,
        output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> DecryptedMessage {
        let optional: PIN? = PIN(sharing: pin)
        return try await decryptMessage(
            message, certificates: certificates, pin: optional, prompt: prompt, output: output)
    }
}

/// A message whose beginning was read.
struct OpenedMessage: Sendable {
    let recipients: [RecipientKey]
    let encryption: ContentEncryption
    /// The certificates that came with it.
    let certificates: [[UInt8]]
    private let reader: EnvelopeReader
    /// The first bytes of the content.
    private let first: [ArraySlice<UInt8>]

    init(_ pieces: PieceReader, unless isCancelled: () -> Bool) throws {
        var reader = EnvelopeReader()
        var first: [ArraySlice<UInt8>] = []
        while reader.encryption == nil, let piece = try pieces.next(unless: isCancelled) {
            first += try asEncryptedMessage { () throws(HostCryptoError) in try reader.read(piece) }
        }
        guard let recipients = reader.recipients, let encryption = reader.encryption else {
            throw KanalError.messageNotDecrypted(.malformed)
        }
        (self.recipients, self.encryption, self.first) = (recipients, encryption, first)
        certificates = reader.certificates
        self.reader = reader
    }

    /// Decrypts the content.
    func decrypt(
        _ pieces: PieceReader, with key: borrowing Secret, to output: ([UInt8]) throws -> Void,
        unless isCancelled: () -> Bool
    ) throws {
        let decryption = try onHost { () throws(HostCryptoError) in try ContentDecryption(encryption, key: key) }
        func write(_ parts: [ArraySlice<UInt8>]) throws {
            for part in parts {
                let bytes = try onHost { () throws(HostCryptoError) in try decryption.update(part) }
                if !bytes.isEmpty { try output(bytes) }
            }
        }
        try write(first)
        var reader = reader
        while let piece = try pieces.next(unless: isCancelled) {
            try write(try asEncryptedMessage { () throws(HostCryptoError) in try reader.read(piece) })
        }
        let last = try asEncryptedMessage { () throws(HostCryptoError) in
            let code = try reader.finish()
            return try decryption.finish(code: code)
        }
        if !last.isEmpty { try output(last) }
    }
}

/// Runs `body`, which reads a message.
private func asEncryptedMessage<Result: ~Copyable>(
    _ body: () throws(HostCryptoError) -> Result
) throws(KanalError) -> Result {
    do throws(HostCryptoError) { return try body() } catch {
        switch error {
        case .invalidParameter: throw .messageNotDecrypted(.unsupported)
        case .decryptionFailed, .invalidLength: throw .messageNotDecrypted(.changed)
        case .libraryFailure: throw KanalError(host: error)
        default: throw .messageNotDecrypted(.malformed)
        }
    }
}
