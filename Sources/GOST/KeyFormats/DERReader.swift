// SPDX-License-Identifier: Apache-2.0
import Secrets

/// The tags of X.690 that keys and certificates are made of.
package enum DERTag: UInt8 {
    case boolean = 0x01
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case null = 0x05
    case objectIdentifier = 0x06
    case utf8String = 0x0C
    case numericString = 0x12
    case printableString = 0x13
    case teletexString = 0x14
    case ia5String = 0x16
    case utcTime = 0x17
    case generalizedTime = 0x18
    case visibleString = 0x1A
    case universalString = 0x1C
    case bmpString = 0x1E
    case sequence = 0x30
    case set = 0x31
    /// [0], primitive.
    case contextPrimitive0 = 0x80
    /// [0], constructed.
    case context0 = 0xA0
    /// [1], constructed.
    case context1 = 0xA1
    /// [1], primitive.
    case issuerUniqueID = 0x81
    /// [2], primitive.
    case subjectUniqueID = 0x82
    /// [3], constructed.
    case context3 = 0xA3
    /// [4], constructed.
    case context4 = 0xA4
}

/// A strict reader of DER (X.690, 10.1): lengths are definite and in the fewest bytes, and nothing may be left over.
///
/// libcrypto's own parser takes BER too and leaves its errors in a queue that the host process reads. The input may be
/// a private key; control flow depends on tags and lengths alone.
package struct DERReader: ~Escapable {
    private var rest: Span<UInt8>

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        rest = bytes
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Whether an element with this tag follows.
    package func isAt(_ tag: DERTag) -> Bool { !rest.isEmpty && rest[0] == tag.rawValue }

    /// Reads an element with this tag and gives its contents.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` for another tag, a length that is truncated, not minimal, or of more
    ///   than four bytes, and contents that are truncated.
    @_lifetime(copy self)
    package mutating func contents(_ tag: DERTag) throws(GOSTError) -> Span<UInt8> {
        let (header, length) = try lengths(tag)
        let contents = rest.extracting(header..<header + length)
        rest = rest.extracting(droppingFirst: header + length)
        return contents
    }

    /// Reads an element with this tag and gives it whole, tag and length included.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` as ``contents(_:)`` does.
    @_lifetime(copy self)
    package mutating func element(_ tag: DERTag) throws(GOSTError) -> Span<UInt8> {
        let (header, length) = try lengths(tag)
        let element = rest.extracting(first: header + length)
        rest = rest.extracting(droppingFirst: header + length)
        return element
    }

    /// The rest, of any form.
    @_lifetime(copy self)
    package mutating func remainder() -> Span<UInt8> {
        let remainder = rest
        rest = rest.extracting(first: 0)
        return remainder
    }

    /// The length of the tag and the length of the next element together, and that of its contents.
    private func lengths(_ tag: DERTag) throws(GOSTError) -> (header: Int, contents: Int) {
        guard isAt(tag), rest.count >= 2 else { throw .invalidEncoding }
        var (header, length) = (2, Int(rest[1]))
        if length >= 0x80 {
            let bytes = length & 0x7F
            guard (1...4).contains(bytes), rest.count >= 2 + bytes else { throw .invalidEncoding }
            header += bytes
            length = 0
            for index in 2..<header { length = length << 8 | Int(rest[index]) }
            guard length >= 0x80, length >> (8 * (bytes - 1)) > 0 else { throw .invalidEncoding }
        }
        guard rest.count - header >= length else { throw .invalidEncoding }
        return (header, length)
    }

    /// Reads an object identifier and gives it whole, tag and length included.
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

extension DERTag {
    /// The tag and the length of an element with as many bytes of contents.
    package func header(count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [rawValue, UInt8(truncatingIfNeeded: count)] }
        let length = [UInt8](bigEndian: count)
        return [rawValue, 0x80 | UInt8(truncatingIfNeeded: length.count)] + length
    }

    /// The element with these contents.
    package func element(_ contents: [UInt8]) -> [UInt8] {
        header(count: contents.count) + contents
    }
}
