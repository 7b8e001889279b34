// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A message of CMS in its parts, as it passes by: the part before the content, the content, which is not kept, and the part
/// behind it.
struct MessageParts<Head: MessageHead>: Sendable {
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
    private(set) var head: Head?
    /// The bytes before the content that have come.
    private var pending: [UInt8] = []
    /// The number of bytes up to here, without those after the content.
    private var position = 0
    private var tail: [UInt8] = []
    /// The number of bytes between the parts before and behind the content.
    var bodyCount: Int { position - (head?.count ?? 0) }

    /// The greatest numbers of bytes before the content and behind it.
    private let headLimit: Int
    private static var tailLimit: Int { 1 << 24 }

    init(headLimit: Int = 1 << 14) { self.headLimit = headLimit }

    /// Reads the next bytes of the message.
    ///
    /// - Returns: The bytes of the content, in their order.
    mutating func read(_ bytes: [UInt8]) throws(HostCryptoError) -> [ArraySlice<UInt8>] {
        var content: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            switch place {
            case .head:
                pending += rest
                guard let head = try Head(pending) else {
                    guard pending.count <= headLimit else { throw .invalidEncoding }
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
    /// - Returns: The parts before and behind the content.
    /// - Throws: ``HostCryptoError/invalidEncoding`` if the message ends before.
    func finish() throws(HostCryptoError) -> (head: Head, tail: [UInt8]) {
        guard let head, case .tail = place else { throw .invalidEncoding }
        return (head, tail)
    }

    /// Reads the ends of elements that began before the content.
    ///
    /// - Parameter reader: Of the part behind the content.
    func close(_ frames: [MessageCursor.Frame], _ reader: inout DERReader) throws(GOSTError) {
        for frame in frames.reversed() {
            if let end = frame.end {
                guard end == position + tail.count - reader.count else { throw .invalidEncoding }
            } else {
                try reader.endOfContents()
            }
        }
    }
}

extension DERReader {
    /// Passes over white space behind a message.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` for anything else.
    mutating func whiteSpace() throws(GOSTError) {
        let rest = remainder()
        for index in rest.indices where ![0x09, 0x0A, 0x0D, 0x20].contains(rest[index]) { throw .invalidEncoding }
    }
}
