// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A signed message, read as it passes by. Its content is not kept.
///
/// The message is in BER, as RFC 5652, 2, lets it be: programs that sign while they read write indefinite lengths and the
/// content in pieces (X.690, 8.1.3.6 and 8.7.3), others write all of it so. Signed attributes, certificates and names
/// are DER. White space behind the message is passed over.
package struct SignedDataReader: Sendable {
    private var message = MessageParts<SignedDataHead>()

    package init() {}

    /// By which functions the content has to be hashed; nil until the message's beginning has been read. Functions that
    /// are not known here are left out.
    package var digests: [DigestAlgorithm]? { message.head?.digests }

    /// Whether the message has its content in it, as far as that is known.
    package var hasContent: Bool? { message.head?.hasContent }

    /// Reads the next bytes of the message.
    ///
    /// - Returns: The bytes of the content, in their order.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/invalidParameter`` for something that is not
    ///   SignedData.
    package mutating func read(_ bytes: [UInt8]) throws(HostCryptoError) -> [ArraySlice<UInt8>] {
        try message.read(bytes)
    }

    /// Ends the message.
    ///
    /// - Parameter content: The content, if the message includes it and the caller keeps it.
    /// - Returns: The message.
    /// - Throws: As ``SignedData/init(ber:)`` does; ``HostCryptoError/invalidEncoding`` if the message is truncated, or
    ///   more than white space follows it.
    package consuming func finish(content: [UInt8]? = nil) throws(HostCryptoError) -> SignedData {
        let (head, tail) = try message.finish()
        do throws(GOSTError) {
            var reader = DERReader(tail.span, .ber)
            try message.close(head.inner, &reader)
            let signed = try SignedData(
                version: head.version, announced: head.announced, contentType: head.contentType, content: content,
                behind: &reader)
            try message.close(head.outer, &reader)
            try reader.whiteSpace()
            return signed
        } catch {
            throw HostCryptoError(error)
        }
    }

    /// The bytes around the content, of a message that ``finish(content:)`` accepts.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    package func parts() throws(HostCryptoError) -> SignedDataParts {
        let (head, tail) = try message.finish()
        do throws(GOSTError) {
            var reader = DERReader(tail.span, .ber)
            try message.close(head.inner, &reader)
            return try SignedDataParts(
                head: head.bytes, bodyCount: message.bodyCount, tail: tail, frames: head.outer.map(\.part),
                algorithms: head.algorithms, hasContent: head.hasContent, contentEnd: tail.count - reader.count)
        } catch {
            throw HostCryptoError(error)
        }
    }
}

/// The part of a signed message before the content.
private struct SignedDataHead: MessageHead {
    /// The elements that the whole message is in, and those that only the content is in: from the outermost on.
    let outer, inner: [MessageCursor.Frame]
    /// The contents of the version, an INTEGER.
    let version: [UInt8]
    /// The AlgorithmIdentifiers of the hash functions, as the message has them.
    let announced: [[UInt8]]
    /// The type of the content, an object identifier in DER.
    let contentType: [UInt8]
    let content: MessageContent
    let bytes: [UInt8]
    /// The place of the names of hash functions.
    let algorithms: Range<Int>

    var count: Int { bytes.count }

    var hasContent: Bool {
        if case .none = content { return false }
        return true
    }

    var digests: [DigestAlgorithm] {
        let names = announced.map { identifier -> [UInt8] in
            var reader = DERReader(identifier.span, .ber)
            guard var fields = try? reader.nested(.sequence), let name = try? fields.objectIdentifier() else {
                return []
            }
            return name
        }
        return DigestAlgorithm.allCases.filter { names.contains($0.oid) }
    }

    init(reading cursor: inout MessageCursor) throws(MessageCursor.Stop) {
        let contentInfo = try cursor.frame(.sequence)
        guard try cursor.objectIdentifier() == CMS.signedData else { throw .refused(.invalidParameter) }
        let explicit = try cursor.frame(.context0)
        let signedData = try cursor.frame(.sequence)
        outer = [contentInfo, explicit, signedData]
        let version = try cursor.element(.integer)
        let begin = cursor.offset
        let algorithms = try cursor.element(.set)
        self.algorithms = begin..<cursor.offset
        do throws(GOSTError) {
            var reader = DERReader(version.span, .ber)
            self.version = [UInt8](copying: try reader.contents(.integer))
            announced = try Self.members(of: algorithms)
        } catch {
            throw .refused(HostCryptoError(error))
        }

        let content = try cursor.frame(.sequence)
        contentType = try cursor.objectIdentifier()
        let isEmpty = if let end = content.end { end == cursor.offset } else { try cursor.next() == 0 }
        if isEmpty {
            inner = [content]
            self.content = .none
        } else {
            inner = [content, try cursor.frame(.context0)]
            self.content = try cursor.content(.octetString)
        }
        bytes = cursor.passed
    }

    private static func members(of set: [UInt8]) throws(GOSTError) -> [[UInt8]] {
        var reader = DERReader(set.span, .ber)
        var set = try reader.nested(.set)
        var members: [[UInt8]] = []
        while !set.isAtEnd { members.append([UInt8](copying: try set.element(.sequence))) }
        return members
    }
}
