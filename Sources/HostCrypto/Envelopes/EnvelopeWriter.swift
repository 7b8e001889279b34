// SPDX-License-Identifier: Apache-2.0
import GOST
package import Secrets

/// An encrypted message, made as its content passes by: EnvelopedData (RFC 5652, 6), or AuthEnvelopedData (RFC 5083) for
/// GCM.
///
/// The message is DER if the content's length is known. Otherwise it is BER of indefinite length, with the content in
/// pieces.
package final class EnvelopeWriter {
    /// The part before the content.
    package let head: [UInt8]
    private let cipher: ContentCipher
    private let transform: any ContentTransform
    private let isInPieces: Bool
    /// The number of bytes that have to come; nil if it is unknown.
    private var left: Int?

    /// - Parameters:
    ///   - certificates: The recipients'.
    ///   - contentCount: The number of bytes of the content, if it is known.
    /// - Throws: ``HostCryptoError/invalidParameter`` for no recipients, and for a cipher that nothing is encrypted with;
    ///   ``HostCryptoError/invalidLength`` for a content of 4 GiB or more; what the recipients' keys throw;
    ///   ``HostCryptoError/randomUnavailable``; ``HostCryptoError/libraryFailure``.
    package init(
        to certificates: [RecipientCertificate], cipher: ContentCipher, padding: RSAEncryptionScheme,
        contentCount: Int?, random: any RandomSource = SystemRandom()
    ) throws(HostCryptoError) {
        guard !certificates.isEmpty, cipher != .tripleDES else { throw .invalidParameter }
        guard (0..<1 << 32).contains(contentCount ?? 0) else { throw .invalidLength }
        let encryption = try ContentEncryption(cipher, random: random)
        guard let key = try? random.secret(cipher.keySize) else { throw .randomUnavailable }
        transform = try encryption.transform(key: key, isEncryption: true)
        var recipients: [[UInt8]] = []
        for certificate in certificates {
            recipients.append(try certificate.recipientInfo(key, cipher, padding, random: random))
        }
        self.cipher = cipher
        isInPieces = contentCount == nil
        left = contentCount

        let hasAttribute = cipher.isAuthenticated && !cipher.isOfAuthEnvelopedData
        let hasOthers = recipients.contains { $0.first != DERTag.sequence.rawValue }
        let version: UInt8 = cipher.isOfAuthEnvelopedData || !(hasAttribute || hasOthers) ? 0 : 2
        // The members of a SET OF are sorted by their bytes (X.690, 11.6).
        let set = recipients.sorted { $0.lexicographicallyPrecedes($1) }
        let beginning = DERTag.integer.element([version]) + DERTag.set.element(Array(set.joined()))
        let content = CMS.data + encryption.der
        let type = cipher.isOfAuthEnvelopedData ? EnvelopeNames.authEnvelopedData : EnvelopeNames.envelopedData
        guard let contentCount else {
            let (sequence, explicit): ([UInt8], [UInt8]) = ([0x30, 0x80], [0xA0, 0x80])
            head = sequence + type + explicit + sequence + beginning + sequence + content + explicit
            return
        }
        let count = cipher.encryptedCount(of: contentCount)
        let bytes = content + DERTag.contextPrimitive0.header(count: count)
        let info = DERTag.sequence.header(count: bytes.count + count) + bytes
        let rest = count + Self.tail(cipher, code: [UInt8](repeating: 0, count: cipher.codeSize)).count
        let enveloped = DERTag.sequence.header(count: beginning.count + info.count + rest) + beginning + info
        let explicit = DERTag.context0.header(count: enveloped.count + rest) + enveloped
        head = DERTag.sequence.header(count: type.count + explicit.count + rest) + type + explicit
    }

    /// Encrypts further bytes of the content.
    ///
    /// - Parameter output: Receives the next bytes of the message.
    /// - Throws: ``HostCryptoError/invalidLength`` for more bytes than were announced;
    ///   ``HostCryptoError/libraryFailure``; what `output` throws.
    package func write(_ bytes: consuming [UInt8], to output: ([UInt8]) throws -> Void) throws {
        if let left {
            guard bytes.count <= left else { throw HostCryptoError.invalidLength }
            self.left = left - bytes.count
        }
        try transform.update(&bytes)
        try writePiece(bytes, to: output)
    }

    /// Ends the message.
    ///
    /// - Throws: ``HostCryptoError/invalidLength`` for fewer bytes than were announced;
    ///   ``HostCryptoError/libraryFailure``; what `output` throws.
    package func finish(to output: ([UInt8]) throws -> Void) throws {
        guard left ?? 0 == 0 else { throw HostCryptoError.invalidLength }
        let (rest, code) = try transform.seal()
        try writePiece(rest, to: output)
        let end: [UInt8] = [0, 0]
        let tail = Self.tail(cipher, code: code)
        try output(isInPieces ? end + end + tail + end + end + end : tail)
    }

    private func writePiece(_ bytes: [UInt8], to output: ([UInt8]) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        if isInPieces { try output(DERTag.octetString.header(count: bytes.count)) }
        try output(bytes)
    }

    /// The part of the message behind the content.
    private static func tail(_ cipher: ContentCipher, code: [UInt8]) -> [UInt8] {
        guard !code.isEmpty else { return [] }
        let code = DERTag.octetString.element(code)
        guard !cipher.isOfAuthEnvelopedData else { return code }
        return DERTag.context1.element(DERTag.sequence.element(EnvelopeNames.code + DERTag.set.element(code)))
    }
}
