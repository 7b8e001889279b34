// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A place in the beginning of a message, of which more may come.
struct MessageCursor {
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

    /// Reads an element and returns it whole.
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

    /// Reads the beginning of the content.
    ///
    /// - Parameter tag: Of a string of bytes in one piece.
    mutating func content(_ tag: DERTag) throws(Stop) -> MessageContent {
        if try next() == tag.rawValue {
            let end = try frame(tag).end ?? offset
            return .bytes(count: end - offset)
        }
        let string = try frame(tag.rawValue | ElementHeader.constructed)
        let begin = offset
        return .pieces(StringPieces(count: string.end.map { $0 - begin }))
    }

    /// Reads an object identifier and returns it in DER.
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
