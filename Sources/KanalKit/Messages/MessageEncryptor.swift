// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Translation

/// The cipher of an encrypted message's content.
public enum MessageCipher: Sendable, Hashable, CaseIterable {
    /// Kuznyechik in CTR-ACPKM, with a code by OMAC (R 1323565.1.025-2019).
    case kuznyechikOMAC
    /// Kuznyechik in CTR-ACPKM (R 1323565.1.025-2019).
    case kuznyechik
    /// Magma in CTR-ACPKM, with a code by OMAC (R 1323565.1.025-2019).
    case magmaOMAC
    /// Magma in CTR-ACPKM (R 1323565.1.025-2019).
    case magma
    /// GOST 28147-89 with feedback (RFC 4490), and the substitution Z of TC 26; for keys of 2001 the set A of CryptoPro.
    case gost28147
    /// AES-256 in GCM, with its code: AuthEnvelopedData (RFC 5083, RFC 5084).
    case aes256GCM
    /// AES-256 in CBC (RFC 3565).
    case aes256CBC

    /// Whether a recipient notices a change of the content. Without a code, none does.
    public var isAuthenticated: Bool {
        switch self {
        case .kuznyechikOMAC, .magmaOMAC, .aes256GCM: true
        case .kuznyechik, .magma, .gost28147, .aes256CBC: false
        }
    }

    fileprivate func cipher(isOf2001: Bool) -> ContentCipher {
        switch self {
        case .kuznyechikOMAC: .kuznyechik(hasCode: true)
        case .kuznyechik: .kuznyechik(hasCode: false)
        case .magmaOMAC: .magma(hasCode: true)
        case .magma: .magma(hasCode: false)
        case .gost28147: .gost28147(isOf2001 ? .cryptoProA : .tc26Z)
        case .aes256GCM: .aesGCM(keySize: 32)
        case .aes256CBC: .aesCBC(keySize: 32)
        }
    }
}

/// Encrypts messages to the holders of certificates (CMS EnvelopedData, RFC 5652, 6; AuthEnvelopedData, RFC 5083). It needs
/// no token.
///
/// The recipients may be of any mix of kinds: GOST R 34.10, RSA, elliptic curves. Each opens the message with its own key. It
/// is not signed: anyone with the certificates can write such a message.
public struct MessageEncryptor: Sendable {
    /// The cipher of the content; nil for ``strongestCipher``.
    public var cipher: MessageCipher?
    /// How the content key is padded for recipients with RSA. OAEP has no label.
    public var padding = EncryptionPadding.oaep(.sha256)
    private let recipients: [RecipientCertificate]

    /// - Parameter certificates: The recipients', in DER. Whether they are trusted and valid is the caller's to verify.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for no certificate, a duplicate, a malformed one, and a
    ///   key that is weak, of an unknown algorithm, or not meant for encryption.
    public init(to certificates: [[UInt8]]) throws(KanalError) {
        guard !certificates.isEmpty else { throw .invalidArgument("an encrypted message needs a recipient") }
        var recipients: [RecipientCertificate] = []
        for (index, certificate) in certificates.enumerated() {
            guard let summary = try? CertificateSummary(of: certificate) else {
                throw .invalidArgument("a recipient's certificate cannot be read")
            }
            let subject = Phrase(verbatim: summary.subject.description)
            guard !certificates[..<index].contains(certificate) else {
                throw .invalidArgument(Explanation("the certificate of \(subject) is named twice"))
            }
            recipients.append(try Self.recipient(certificate, subject))
        }
        self.recipients = recipients
    }

    private static func recipient(
        _ certificate: [UInt8], _ subject: Phrase
    ) throws(KanalError) -> RecipientCertificate {
        let recipient: RecipientCertificate
        do throws(HostCryptoError) { recipient = try RecipientCertificate(der: certificate.span) } catch {
            guard error != .libraryFailure else { throw KanalError(host: error) }
            throw .invalidArgument(
                Explanation("the key of \(subject) cannot be read, or is of an algorithm that is not known here"))
        }
        guard recipient.allowsEncryption else {
            throw .invalidArgument(
                Explanation("the certificate of \(subject) is for signatures only: ask for one that is for encryption"))
        }
        guard recipient.key.isStrong else {
            throw .invalidArgument(Explanation("the key of \(subject) is too weak: it protects nothing"))
        }
        return recipient
    }

    private var isOf2001: Bool { recipients.contains(where: \.isOf2001) }

    /// The strongest cipher that all recipients may be assumed to have: AES-256 in GCM as soon as one of them is not of
    /// GOST, GOST 28147-89 for a key of 2001, and else Kuznyechik with OMAC.
    public var strongestCipher: MessageCipher {
        guard recipients.allSatisfy(\.isGOST) else { return .aes256GCM }
        return isOf2001 ? .gost28147 : .kuznyechikOMAC
    }

    /// Encrypts a message as a whole.
    ///
    /// - Returns: The message in DER.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for a cipher that a recipient's key does not go with, a label of OAEP,
    ///   and a content of 4 GiB or more.
    public func encrypt(_ content: [UInt8]) throws(KanalError) -> [UInt8] {
        let writer = try writer(contentCount: content.count)
        var message = writer.head
        do {
            try writer.write(content) { message += $0 }
            try writer.finish { message += $0 }
        } catch {
            throw KanalError(host: error as? HostCryptoError ?? .libraryFailure)
        }
        return message
    }

    /// Encrypts a message whose content may be too long to be kept.
    ///
    /// The message is DER if the content's length is known, which must then be below 4 GiB; else it is BER of indefinite
    /// length, of any length.
    ///
    /// - Parameters:
    ///   - content: The content. Cancelling the task ends the work between two pieces of it, with
    ///     ``KanalError/cancelled``.
    ///   - output: Receives the next bytes of the message. It is called in a thread that may block. If the work ends
    ///     with an error, its output is not a message.
    /// - Throws: As the other one; the errors of the content's source and of `output`.
    public func encrypt(_ content: ByteSource, output: @escaping @Sendable ([UInt8]) throws -> Void) async throws {
        try await inThreadOfItsOwn { isCancelled in
            let writer = try writer(contentCount: content.length)
            try output(writer.head)
            try content.forEach(unless: isCancelled) { piece in try writer.write(piece, to: output) }
            try writer.finish(to: output)
        }
    }

    private func writer(contentCount: Int?) throws(KanalError) -> EnvelopeWriter {
        guard contentCount ?? 0 < 1 << 32 else {
            throw .invalidArgument("a content of 4 GiB or more has to be of no known length")
        }
        let chosen = cipher ?? strongestCipher
        switch chosen {
        case .kuznyechikOMAC, .kuznyechik, .magmaOMAC, .magma:
            guard !isOf2001 else {
                throw .invalidArgument("a recipient's key is of GOST R 34.10-2001, which goes with GOST 28147-89 only")
            }
        default: break
        }
        let scheme: RSAEncryptionScheme
        switch padding {
        case .pkcs1: scheme = .pkcs1
        case .oaep(let hash, label: []): scheme = .oaep(hash: hash.algorithm, mask: hash.algorithm, label: [])
        case .oaep: throw .invalidArgument("content keys are encrypted without a label")
        }
        return try onHost { () throws(HostCryptoError) in
            try EnvelopeWriter(
                to: recipients, cipher: chosen.cipher(isOf2001: isOf2001), padding: scheme,
                contentCount: contentCount)
        }
    }
}
