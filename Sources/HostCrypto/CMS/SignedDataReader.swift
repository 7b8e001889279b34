// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A signed message, read as it passes by. Its content is not kept.
///
/// The message is in BER, as RFC 5652, 2, lets it be: programs that sign while they read write indefinite lengths and the
/// content in pieces (X.690, 8.1.3.6 and 8.7.3), others write all of it so. Signed attributes, certificates and names
/// are DER. White space behind the message is passed over.
package struct SignedDataReader: Sendable {
    private enum Place {
        /// Before the content.
        case head
        /// In the content, of which so many bytes are to come.
        case content(left: Int)
        /// In a content in pieces.
        case pieces(StringPieces)
        /// Behind the content.
        case tail
    }

    private var place = Place.head
    private var head: MessageHead?
    /// The bytes before the content that have come.
    private var pending: [UInt8] = []
    /// The number of bytes up to here, without those after the content.
    private var position = 0
    private var tail: [UInt8] = []

    /// The greatest numbers of bytes before the content and behind it.
    private static let (headLimit, tailLimit) = (1 << 14, 1 << 24)

    package init() {}

    /// By which functions the content has to be hashed; nil until the message's beginning has been read. Functions that
    /// are not known here are left out.
    package var digests: [DigestAlgorithm]? { head?.digests }

    /// Whether the message has its content in it, as far as that is known.
    package var hasContent: Bool? { head?.hasContent }

    /// Takes the next bytes of the message.
    ///
    /// - Returns: Those of the content, in their order.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/invalidParameter`` for something that is not
    ///   SignedData.
    package mutating func read(_ bytes: [UInt8]) throws(HostCryptoError) -> [ArraySlice<UInt8>] {
        var content: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            switch place {
            case .head:
                pending += rest
                guard let head = try MessageHead(pending) else {
                    guard pending.count <= Self.headLimit else { throw .invalidEncoding }
                    return []
                }
                self.head = head
                position = head.count
                rest = pending.dropFirst(head.count)
                pending = []
                place =
                    switch head.content {
                    case .none, .bytes(count: 0): .tail
                    case .bytes(let count): .content(left: count)
                    case .pieces(let pieces): pieces.isAtEnd ? .tail : .pieces(pieces)
                    }
            case .content(let left):
                let part = rest.prefix(left)
                content.append(part)
                rest = rest.dropFirst(part.count)
                position += part.count
                place = left == part.count ? .tail : .content(left: left - part.count)
            case .pieces(var pieces):
                let begin = pieces.position
                do throws(GOSTError) { content += try pieces.read(&rest) } catch { throw HostCryptoError(error) }
                position += pieces.position - begin
                place = pieces.isAtEnd ? .tail : .pieces(pieces)
            case .tail:
                tail += rest
                rest = []
                guard tail.count <= Self.tailLimit else { throw .invalidEncoding }
            }
        }
        return content
    }

    /// Ends the message.
    ///
    /// - Parameter content: The content, if the message has it in it and somebody wants to keep it.
    /// - Returns: The message.
    /// - Throws: As ``SignedData/init(ber:)`` does; ``HostCryptoError/invalidEncoding`` if the message is truncated, or
    ///   more than white space follows it.
    package consuming func finish(content: [UInt8]? = nil) throws(HostCryptoError) -> SignedData {
        guard let head, case .tail = place else { throw .invalidEncoding }
        do throws(GOSTError) {
            var reader = DERReader(tail.span, .ber)
            for frame in head.inner.reversed() { try close(frame, &reader) }
            let message = try SignedData(
                version: head.version, announced: head.announced, contentType: head.contentType, content: content,
                behind: &reader)
            for frame in head.outer.reversed() { try close(frame, &reader) }
            let rest = reader.remainder()
            for index in rest.indices where ![0x09, 0x0A, 0x0D, 0x20].contains(rest[index]) { throw .invalidEncoding }
            return message
        } catch {
            throw HostCryptoError(error)
        }
    }

    /// The bytes around the content, of a message that ``finish(content:)`` takes.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    package func parts() throws(HostCryptoError) -> SignedDataParts {
        guard let head, case .tail = place else { throw .invalidEncoding }
        do throws(GOSTError) {
            var reader = DERReader(tail.span, .ber)
            for frame in head.inner.reversed() { try close(frame, &reader) }
            return try SignedDataParts(
                head: head.bytes, bodyCount: position - head.count, tail: tail, frames: head.outer.map(\.part),
                algorithms: head.algorithms, hasContent: head.hasContent, contentEnd: tail.count - reader.count)
        } catch {
            throw HostCryptoError(error)
        }
    }

    /// Reads the end of an element that began before the content.
    private func close(_ frame: MessageCursor.Frame, _ reader: inout DERReader) throws(GOSTError) {
        guard let end = frame.end else { return try reader.endOfContents() }
        guard end == position + tail.count - reader.count else { throw .invalidEncoding }
    }
}

/// The part of a message before the content.
private struct MessageHead: Sendable {
    enum Content {
        case none
        case bytes(count: Int)
        case pieces(StringPieces)
    }

    /// The elements that the whole message is in, and those that only the content is in: from the outermost on.
    let outer, inner: [MessageCursor.Frame]
    /// The contents of the version, an INTEGER.
    let version: [UInt8]
    /// The AlgorithmIdentifiers of the hash functions, as the message has them.
    let announced: [[UInt8]]
    /// The type of the content, an object identifier in DER.
    let contentType: [UInt8]
    let content: Content
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

    /// - Returns: nil if more bytes have to come.
    init?(_ bytes: [UInt8]) throws(HostCryptoError) {
        var cursor = MessageCursor(bytes)
        do throws(MessageCursor.Stop) { self = try MessageHead(reading: &cursor) } catch {
            switch error {
            case .incomplete: return nil
            case .refused(let error): throw error
            }
        }
    }

    private init(reading cursor: inout MessageCursor) throws(MessageCursor.Stop) {
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
            if try cursor.next() == DERTag.octetString.rawValue {
                let end = try cursor.frame(.octetString).end ?? cursor.offset
                self.content = .bytes(count: end - cursor.offset)
            } else {
                let string = try cursor.frame(DERTag.octetString.rawValue | ElementHeader.constructed)
                let begin = cursor.offset
                self.content = .pieces(StringPieces(count: string.end.map { $0 - begin }))
            }
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

/// A place in the beginning of a message, of which more may come.
private struct MessageCursor {
    enum Stop: Error {
        /// More bytes have to come.
        case incomplete
        case refused(HostCryptoError)
    }

    /// An element that has begun.
    struct Frame: Sendable {
        /// The place of its tag and length.
        let header: Range<Int>
        /// The place behind it; nil for an indefinite length.
        let end: Int?

        var part: SignedDataParts.Frame {
            SignedDataParts.Frame(header: header, count: end.map { $0 - header.upperBound })
        }
    }

    /// The bytes before this place.
    var passed: [UInt8] { Array(bytes.prefix(offset)) }

    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next byte, which stays there.
    func next() throws(Stop) -> UInt8 {
        guard bytes.indices.contains(offset) else { throw .incomplete }
        return bytes[offset]
    }

    mutating func frame(_ tag: DERTag) throws(Stop) -> Frame { try frame(tag.rawValue) }

    /// Reads the header of an element.
    mutating func frame(_ tag: UInt8) throws(Stop) -> Frame {
        guard try next() == tag else { throw .refused(.invalidEncoding) }
        let header = try Self.complete { () throws(GOSTError) in
            try ElementHeader(bytes.span.extracting(droppingFirst: offset), .ber)
        }
        let begin = offset + header.count
        defer { offset = begin }
        return Frame(header: offset..<begin, end: header.length.map { begin + $0 })
    }

    /// Reads an element and gives it whole.
    mutating func element(_ tag: DERTag) throws(Stop) -> [UInt8] {
        let start = offset
        if let end = try frame(tag).end {
            offset = end
        } else {
            let length = try Self.complete { () throws(GOSTError) in
                try ElementHeader.indefiniteLength(bytes.span.extracting(droppingFirst: offset))
            }
            offset += length + 2
        }
        guard offset <= bytes.count else { throw .incomplete }
        return Array(bytes[start..<offset])
    }

    /// Reads an object identifier and gives it in DER.
    mutating func objectIdentifier() throws(Stop) -> [UInt8] {
        let element = try element(.objectIdentifier)
        do throws(GOSTError) {
            var reader = DERReader(element.span, .ber)
            return try reader.objectIdentifier()
        } catch {
            throw .refused(HostCryptoError(error))
        }
    }

    private static func complete<Found>(_ body: () throws(GOSTError) -> Found?) throws(Stop) -> Found {
        let found: Found?
        do throws(GOSTError) { found = try body() } catch { throw .refused(HostCryptoError(error)) }
        guard let found else { throw .incomplete }
        return found
    }
}
