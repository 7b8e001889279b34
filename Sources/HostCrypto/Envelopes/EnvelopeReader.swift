// SPDX-License-Identifier: Apache-2.0
import GOST
package import Secrets

/// An encrypted message, read as it passes by: EnvelopedData (RFC 5652, 6) or AuthEnvelopedData (RFC 5083). Its content is
/// not kept.
///
/// The message is in BER, as ``SignedDataReader`` accepts it.
package struct EnvelopeReader: Sendable {
    private var parts = MessageParts<EnvelopeHead>(headLimit: 1 << 20)

    package init() {}

    /// The content key, encrypted for each recipient; nil until the message's beginning has been read.
    package var recipients: [RecipientKey]? { parts.head?.recipients }

    /// The cipher of the content; nil until the message's beginning has been read.
    package var encryption: ContentEncryption? { parts.head?.encryption }

    /// The certificates that came with the message, in DER: the sender's.
    package var certificates: [[UInt8]] { parts.head?.certificates ?? [] }

    /// Reads the next bytes of the message.
    ///
    /// - Returns: The bytes of the encrypted content, in their order.
    /// - Throws: ``HostCryptoError/invalidEncoding``, also for something that is not an encrypted message;
    ///   ``HostCryptoError/invalidParameter`` for a cipher that is not known here.
    package mutating func read(_ bytes: [UInt8]) throws(HostCryptoError) -> [ArraySlice<UInt8>] {
        try parts.read(bytes)
    }

    /// Ends the message.
    ///
    /// - Returns: The code of the content; none for a cipher without one.
    /// - Throws: ``HostCryptoError/invalidEncoding`` if the message is truncated, or more than white space follows it;
    ///   ``HostCryptoError/invalidParameter`` for attributes under the code, which would have to come before the content;
    ///   ``HostCryptoError/decryptionFailed`` for a code that is missing, or of another length.
    package consuming func finish() throws(HostCryptoError) -> [UInt8] {
        let (head, tail) = try parts.finish()
        let code: [UInt8]
        do throws(GOSTError) {
            var reader = DERReader(tail.span, .ber)
            try parts.close(head.inner, &reader)
            code =
                head.isAuthEnvelopedData
                ? try Self.code(&reader) : try Self.attribute(&reader, head.encryption.cipher)
            try parts.close(head.outer, &reader)
            try reader.whiteSpace()
        } catch {
            throw HostCryptoError(error)
        }
        guard head.encryption.allowsCode(of: code.count) else { throw .decryptionFailed }
        return code
    }

    /// Reads the fields of AuthEnvelopedData behind its content (RFC 5083, 2.1).
    private static func code(_ reader: inout DERReader) throws(GOSTError) -> [UInt8] {
        guard !reader.isAt(.context1) else { throw .invalidParameter }
        let code = try reader.bytes()
        if reader.isAt(.context2) { try reader.skip() }
        return code
    }

    /// Reads the attributes of EnvelopedData behind its content, one of which is the code by OMAC.
    private static func attribute(_ reader: inout DERReader, _ cipher: ContentCipher) throws(GOSTError) -> [UInt8] {
        guard reader.isAt(.context1) else { return [] }
        var attributes = try reader.nested(.context1)
        var codes: [[UInt8]] = []
        while !attributes.isAtEnd {
            var attribute = try attributes.nested(.sequence)
            let type = try attribute.objectIdentifier()
            var values = try attribute.nested(.set)
            try attribute.end()
            guard cipher.isAuthenticated, type == EnvelopeNames.code else { continue }
            codes.append(try values.bytes())
            try values.end()
        }
        guard codes.count <= 1 else { throw .invalidEncoding }
        return codes.first ?? []
    }
}

/// The object identifiers of encrypted messages in DER.
enum EnvelopeNames {
    /// id-envelopedData (RFC 5652, 6.1).
    static let envelopedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x03]
    /// id-ct-authEnvelopedData (RFC 5083, 2.1).
    static let authEnvelopedData: [UInt8] = [
        0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x10, 0x01, 0x17,
    ]
    /// id-cms-mac-attr (R 1323565.1.025-2019).
    static let code: [UInt8] = [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x00, 0x06, 0x01, 0x01]
}

/// The part of an encrypted message before the content.
private struct EnvelopeHead: MessageHead {
    let outer, inner: [MessageCursor.Frame]
    let isAuthEnvelopedData: Bool
    let certificates: [[UInt8]]
    let recipients: [RecipientKey]
    let encryption: ContentEncryption
    let content: MessageContent
    let count: Int

    init(reading cursor: inout MessageCursor) throws(MessageCursor.Stop) {
        let contentInfo = try cursor.frame(.sequence)
        let type = try cursor.objectIdentifier()
        guard [EnvelopeNames.envelopedData, EnvelopeNames.authEnvelopedData].contains(type) else {
            throw .refused(.invalidEncoding)
        }
        isAuthEnvelopedData = type == EnvelopeNames.authEnvelopedData
        let explicit = try cursor.frame(.context0)
        outer = [contentInfo, explicit, try cursor.frame(.sequence)]
        _ = try cursor.element(.integer)
        let originator = try cursor.next() == DERTag.context0.rawValue ? try cursor.element(.context0) : nil
        let set = try cursor.element(.set)
        inner = [try cursor.frame(.sequence)]
        _ = try cursor.objectIdentifier()
        let algorithm = try cursor.element(.sequence)
        do throws(GOSTError) {
            certificates = try originator.map(Self.certificates) ?? []
            recipients = try RecipientKey.all(in: set)
            encryption = try ContentEncryption(algorithm)
        } catch {
            throw .refused(error == .invalidLength ? .invalidEncoding : HostCryptoError(error))
        }
        guard encryption.cipher.isOfAuthEnvelopedData == isAuthEnvelopedData else { throw .refused(.invalidEncoding) }
        content = try cursor.content(.contextPrimitive0)
        count = cursor.offset
    }

    /// The certificates of an OriginatorInfo.
    private static func certificates(_ originator: [UInt8]) throws(GOSTError) -> [[UInt8]] {
        var reader = DERReader(originator.span, .ber)
        var info = try reader.nested(.context0)
        guard info.isAt(.context0) else { return [] }
        var set = try info.nested(.context0)
        var certificates: [[UInt8]] = []
        while !set.isAtEnd {
            guard certificates.count < SignedData.certificateLimit else { throw .invalidParameter }
            if set.isAt(.sequence) {
                certificates.append([UInt8](copying: try set.element(.sequence)))
            } else {
                try set.skip()
            }
        }
        return certificates
    }
}

/// A content that is decrypted as it passes by.
package final class ContentDecryption {
    private let transform: any ContentTransform

    /// - Throws: ``HostCryptoError/invalidKey`` for a key of another length than the cipher's;
    ///   ``HostCryptoError/libraryFailure``.
    package init(_ encryption: ContentEncryption, key: borrowing Secret) throws(HostCryptoError) {
        transform = try encryption.transform(key: key, isEncryption: false)
    }

    /// Decrypts further bytes, which must not be used before ``finish(code:)`` has returned.
    package func update(_ bytes: ArraySlice<UInt8>) throws(HostCryptoError) -> [UInt8] {
        var bytes = Array(bytes)
        try transform.update(&bytes)
        return bytes
    }

    /// Ends the content.
    ///
    /// - Returns: The last bytes.
    /// - Throws: ``HostCryptoError/decryptionFailed`` for a wrong code, or invalid padding.
    package func finish(code: [UInt8]) throws(HostCryptoError) -> [UInt8] { try transform.open(code: code) }
}
