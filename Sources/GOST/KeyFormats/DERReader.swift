// SPDX-License-Identifier: Apache-2.0
import Secrets

/// A reader of DER (X.690, 10.1), where lengths are definite and in the fewest bytes, or of BER where a caller asks for it.
/// Nothing may be left over.
///
/// libcrypto's own parser leaves its errors in a queue that the host process reads. The input may be a private key;
/// control flow depends on tags and lengths alone.
package struct DERReader: ~Escapable {
    private var rest: Span<UInt8>
    private let rules: EncodingRules

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, _ rules: EncodingRules = .der) {
        rest = bytes
        self.rules = rules
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { rest.isEmpty }

    /// The number of bytes that are left.
    package var count: Int { rest.count }

    /// Whether an element with this tag follows.
    package func isAt(_ tag: DERTag) -> Bool { !rest.isEmpty && rest[0] == tag.rawValue }

    /// Reads an element with this tag and returns its contents.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` for a different tag, for a length that is truncated or malformed, and for
    ///   contents that are truncated.
    @_lifetime(copy self)
    package mutating func contents(_ tag: DERTag) throws(GOSTError) -> Span<UInt8> {
        let element = try extent(tag)
        let contents = rest.extracting(element.header..<element.header + element.contents)
        rest = rest.extracting(droppingFirst: element.count)
        return contents
    }

    /// Reads an element with this tag and returns it whole, tag and length included.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` as ``contents(_:)`` does.
    @_lifetime(copy self)
    package mutating func element(_ tag: DERTag) throws(GOSTError) -> Span<UInt8> {
        let count = try extent(tag).count
        let element = rest.extracting(first: count)
        rest = rest.extracting(droppingFirst: count)
        return element
    }

    /// Reads an element with this tag and returns a reader of its contents, by the same rules.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` as ``contents(_:)`` does.
    @_lifetime(copy self)
    package mutating func nested(_ tag: DERTag) throws(GOSTError) -> DERReader {
        let contents = try contents(tag)
        return DERReader(contents, rules)
    }

    /// Passes over an element of any tag.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` as ``contents(_:)`` does, but for the tag.
    package mutating func skip() throws(GOSTError) {
        let count = try extent().count
        rest = rest.extracting(droppingFirst: count)
    }

    /// Reads all elements that are left, of any tags, and returns each whole.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` as ``contents(_:)`` does, but for the tags; ``GOSTError/invalidParameter`` for
    ///   more than `limit` elements.
    @_lifetime(self: copy self)
    package mutating func elements(limit: Int) throws(GOSTError) -> [[UInt8]] {
        var elements: [[UInt8]] = []
        while !isAtEnd {
            guard elements.count < limit else { throw .invalidParameter }
            let count = try extent().count
            elements.append([UInt8](copying: rest.extracting(first: count)))
            rest = rest.extracting(droppingFirst: count)
        }
        return elements
    }

    /// Reads a string of bytes, which BER may have in pieces (X.690, 8.7).
    ///
    /// - Parameter tag: The tag of the primitive form.
    /// - Throws: ``GOSTError/invalidEncoding`` as ``contents(_:)`` does, and for malformed pieces.
    @_lifetime(self: copy self)
    package mutating func bytes(_ tag: DERTag = .octetString) throws(GOSTError) -> [UInt8] {
        guard rules == .ber, !rest.isEmpty, rest[0] == tag.rawValue | ElementHeader.constructed else {
            return [UInt8](copying: try contents(tag))
        }
        guard let header = try ElementHeader(rest, rules) else { throw .invalidEncoding }
        var pieces = StringPieces(count: header.length)
        var unread = [UInt8](copying: rest.extracting(droppingFirst: header.count))[...]
        let joined = try pieces.read(&unread).flatMap { $0 }
        guard pieces.isAtEnd else { throw .invalidEncoding }
        rest = rest.extracting(last: unread.count)
        return joined
    }

    /// Reads the two bytes that end an element of indefinite length.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` for other bytes.
    package mutating func endOfContents() throws(GOSTError) {
        guard rest.count >= 2, rest[0] == 0, rest[1] == 0 else { throw .invalidEncoding }
        rest = rest.extracting(droppingFirst: 2)
    }

    /// The rest, of any form.
    @_lifetime(copy self)
    package mutating func remainder() -> Span<UInt8> {
        let remainder = rest
        rest = rest.extracting(first: 0)
        return remainder
    }

    /// The numbers of bytes of the next element: its tag and length, its contents, and all of it.
    private func extent(_ tag: DERTag) throws(GOSTError) -> (header: Int, contents: Int, count: Int) {
        guard isAt(tag) else { throw .invalidEncoding }
        return try extent()
    }

    private func extent() throws(GOSTError) -> (header: Int, contents: Int, count: Int) {
        guard let header = try ElementHeader(rest, rules) else { throw .invalidEncoding }
        if let length = header.length {
            guard rest.count - header.count >= length else { throw .invalidEncoding }
            return (header.count, length, header.count + length)
        }
        guard let length = try ElementHeader.indefiniteLength(rest.extracting(droppingFirst: header.count)) else {
            throw .invalidEncoding
        }
        return (header.count, length, header.count + length + 2)
    }

    /// Reads an object identifier and returns it whole, tag and length included.
    package mutating func objectIdentifier() throws(GOSTError) -> [UInt8] {
        let contents = try contents(.objectIdentifier)
        guard (1..<0x80).contains(contents.count), contents[contents.count - 1] < 0x80 else { throw .invalidEncoding }
        return DERTag.objectIdentifier.element([UInt8](copying: contents))
    }

    /// - Throws: ``GOSTError/invalidEncoding`` unless nothing is left.
    package func end() throws(GOSTError) {
        guard isAtEnd else { throw .invalidEncoding }
    }
}
