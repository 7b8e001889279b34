// SPDX-License-Identifier: Apache-2.0
import GOST

/// A signed message that is too long to be kept, read as it passes by.
///
/// The structure around the content may have an indefinite length, with the content in pieces, as programs write it
/// that sign while they read (BER, X.690, 8.1.3.6 and 8.7.3). All else is DER, as in ``SignedData``.
package struct SignedDataReader: Sendable {
    private enum Place {
        /// Before the content.
        case head
        /// In the content or a piece of it, with so many bytes of it to come.
        case content(left: Int)
        /// Before a piece of the content, or its end.
        case piece
        /// Behind the content.
        case tail
    }

    private var place = Place.head
    private var head: MessageHead?
    /// The bytes before the content, or those of a piece's header, that have come.
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
                switch head.content {
                case .none: place = .tail
                case .bytes(let count): enter(count)
                case .pieces: place = .piece
                }
            case .content(let left):
                let part = rest.prefix(left)
                content.append(part)
                rest = rest.dropFirst(part.count)
                position += part.count
                enter(left - part.count)
            case .piece:
                pending.append(rest.removeFirst())
                position += 1
                try readPiece()
            case .tail:
                tail += rest
                rest = []
                guard tail.count <= Self.tailLimit else { throw .invalidEncoding }
            }
        }
        return content
    }

    /// Goes on where so many bytes of the content, or of a piece of it, are to come.
    private mutating func enter(_ count: Int) {
        guard count == 0 else { return place = .content(left: count) }
        if case .pieces = head?.content { place = .piece } else { place = .tail }
    }

    /// Reads a piece's header, or the end of all pieces, if it is there as a whole.
    private mutating func readPiece() throws(HostCryptoError) {
        if pending.first == 0 {
            guard pending.count == 2 else { return }
            guard pending == [0, 0] else { throw .invalidEncoding }
            place = .tail
        } else {
            var cursor = MessageCursor(pending)
            guard
                let frame = try cursor.complete({ cursor throws(MessageCursor.Stop) in try cursor.frame(.octetString) })
            else { return }
            guard let end = frame.end else { throw .invalidEncoding }
            enter(end - pending.count)
        }
        pending = []
    }

    /// Ends the message.
    ///
    /// - Returns: The message without its content.
    /// - Throws: As ``SignedData/init(der:)`` does; ``HostCryptoError/invalidEncoding`` if the message is cut, or
    ///   something stands behind it.
    package consuming func finish() throws(HostCryptoError) -> SignedData {
        guard let head, case .tail = place else { throw .invalidEncoding }
        var rest = tail[...]
        for frame in head.inner.reversed() {
            if let end = frame.end {
                guard end == position else { throw .invalidEncoding }
            } else {
                guard rest.starts(with: [0, 0]) else { throw .invalidEncoding }
                rest = rest.dropFirst(2)
                position += 2
            }
        }
        var end = position + rest.count
        for frame in head.outer {
            if let frameEnd = frame.end {
                guard frameEnd == end else { throw .invalidEncoding }
            } else {
                guard rest.count >= 2, rest.suffix(2) == [0, 0] else { throw .invalidEncoding }
                rest = rest.dropLast(2)
                end -= 2
            }
        }
        let signedData = DERTag.sequence.element(head.fields + DERTag.sequence.element(head.contentType) + rest)
        let der = DERTag.sequence.element(CMS.signedData + DERTag.context0.element(signedData))
        return try SignedData(der: der.span)
    }
}

/// The part of a message before the content.
private struct MessageHead: Sendable {
    enum Content {
        case none
        case bytes(count: Int)
        case pieces
    }

    /// The elements that the whole message is in, and those that only the content is in: from the outermost on.
    let outer, inner: [MessageCursor.Frame]
    /// The version and the hash functions of the SignedData, and the type of the content: in DER.
    let fields, contentType: [UInt8]
    let digests: [DigestAlgorithm]
    let content: Content
    /// The number of its bytes.
    let count: Int

    var hasContent: Bool {
        if case .none = content { return false }
        return true
    }

    /// - Returns: nil if more bytes have to come.
    init?(_ bytes: [UInt8]) throws(HostCryptoError) {
        var cursor = MessageCursor(bytes)
        let head = try cursor.complete { cursor throws(MessageCursor.Stop) in try MessageHead(reading: &cursor) }
        guard let head else { return nil }
        self = head
    }

    private init(reading cursor: inout MessageCursor) throws(MessageCursor.Stop) {
        let contentInfo = try cursor.frame(.sequence)
        guard try cursor.element(.objectIdentifier) == CMS.signedData else { throw .refused(.invalidParameter) }
        let explicit = try cursor.frame(.context0)
        let signedData = try cursor.frame(.sequence)
        outer = [contentInfo, explicit, signedData]
        let version = try cursor.element(.integer)
        let algorithms = try cursor.element(.set)
        fields = version + algorithms
        do throws(GOSTError) { digests = try Self.digests(in: algorithms) } catch { throw .refused(.invalidEncoding) }

        let content = try cursor.frame(.sequence)
        contentType = try cursor.element(.objectIdentifier)
        let isEmpty = if let end = content.end { end == cursor.offset } else { try cursor.next() == 0 }
        if isEmpty {
            inner = [content]
            self.content = .none
        } else {
            inner = [content, try cursor.frame(.context0)]
            if try cursor.next() == 0x24 {
                // No program writes pieces in an element of definite length.
                guard try cursor.frame(0x24).end == nil else { throw .refused(.invalidEncoding) }
                self.content = .pieces
            } else {
                guard let end = try cursor.frame(.octetString).end else { throw .refused(.invalidEncoding) }
                self.content = .bytes(count: end - cursor.offset)
            }
        }
        count = cursor.offset
    }

    private static func digests(in set: [UInt8]) throws(GOSTError) -> [DigestAlgorithm] {
        var reader = DERReader(set.span)
        var members = DERReader(try reader.contents(.set))
        var digests: [DigestAlgorithm] = []
        while !members.isAtEnd {
            var algorithm = DERReader(try members.contents(.sequence))
            let oid = try algorithm.objectIdentifier()
            digests += DigestAlgorithm.allCases.filter { $0.oid == oid }
        }
        return digests
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
        /// The place behind it; nil for an indefinite length.
        let end: Int?
    }

    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Runs `body`.
    ///
    /// - Returns: nil if more bytes have to come.
    mutating func complete<Result>(
        _ body: (inout MessageCursor) throws(Stop) -> Result
    ) throws(HostCryptoError) -> Result? {
        do throws(Stop) { return try body(&self) } catch {
            switch error {
            case .incomplete: return nil
            case .refused(let error): throw error
            }
        }
    }

    /// The next byte, which stays there.
    func next() throws(Stop) -> UInt8 {
        guard bytes.indices.contains(offset) else { throw .incomplete }
        return bytes[offset]
    }

    private mutating func take() throws(Stop) -> UInt8 {
        let byte = try next()
        offset += 1
        return byte
    }

    mutating func frame(_ tag: DERTag) throws(Stop) -> Frame { try frame(tag.rawValue) }

    /// Reads the header of an element. Its length is indefinite, or definite and in the fewest bytes, of which there
    /// are at most seven.
    mutating func frame(_ tag: UInt8) throws(Stop) -> Frame {
        guard try take() == tag else { throw .refused(.invalidEncoding) }
        let first = Int(try take())
        guard first != 0x80 else { return Frame(end: nil) }
        guard first > 0x80 else { return Frame(end: offset + first) }
        guard first <= 0x87 else { throw .refused(.invalidEncoding) }
        var length = 0
        for index in 0..<first - 0x80 {
            let byte = Int(try take())
            guard index > 0 || byte > 0 else { throw .refused(.invalidEncoding) }
            length = length << 8 | byte
        }
        guard length >= 0x80 else { throw .refused(.invalidEncoding) }
        return Frame(end: offset + length)
    }

    /// Reads an element of definite length and gives it whole.
    mutating func element(_ tag: DERTag) throws(Stop) -> [UInt8] {
        let start = offset
        guard let end = try frame(tag).end else { throw .refused(.invalidEncoding) }
        guard end <= bytes.count else { throw .incomplete }
        offset = end
        return Array(bytes[start..<end])
    }
}
