// SPDX-License-Identifier: Apache-2.0

/// The rules by which an element is encoded (X.690).
package enum EncodingRules: Sendable {
    /// One encoding for each value (10).
    case der
    /// Lengths may be indefinite or have more bytes than needed, and strings may be in pieces (8).
    case ber
}

/// The tag and the length of an element.
package struct ElementHeader: Sendable {
    package let tag: UInt8
    /// The number of bytes of tag and length.
    package let count: Int
    /// The number of bytes of the contents; nil for an indefinite length.
    package let length: Int?

    /// The bit of a tag whose element consists of elements.
    package static let constructed: UInt8 = 0x20

    /// Whether this is the end of an element of indefinite length.
    package var isEndOfContents: Bool { tag == 0 && length == 0 && count == 2 }

    /// Reads a header.
    ///
    /// - Returns: nil if more bytes have to come.
    /// - Throws: ``GOSTError/invalidEncoding`` for a tag of several bytes, and for a length that the rules do not allow
    ///   or that no memory holds.
    package init?(_ bytes: Span<UInt8>, _ rules: EncodingRules) throws(GOSTError) {
        guard bytes.count >= 2 else { return nil }
        tag = bytes[0]
        guard tag & 0x1F != 0x1F else { throw .invalidEncoding }
        let first = Int(bytes[1])
        switch first {
        case 0..<0x80:
            (count, length) = (2, first)
        case 0x80:
            guard rules == .ber, tag & Self.constructed != 0 else { throw .invalidEncoding }
            (count, length) = (2, nil)
        case 0xFF:
            throw .invalidEncoding
        default:
            count = 2 + first - 0x80
            var value = 0
            for index in 2..<min(count, bytes.count) {
                guard value < 1 << 48 else { throw .invalidEncoding }
                value = value << 8 | Int(bytes[index])
                guard rules == .ber || index > 2 || value > 0 else { throw .invalidEncoding }
            }
            guard bytes.count >= count else { return nil }
            guard rules == .ber || value >= 0x80 && first <= 0x84 else { throw .invalidEncoding }
            length = value
        }
    }

    /// The number of bytes of contents of indefinite length, without the two bytes that end them.
    ///
    /// - Parameter bytes: From the first byte of the contents on.
    /// - Returns: nil if more bytes have to come.
    package static func indefiniteLength(_ bytes: Span<UInt8>) throws(GOSTError) -> Int? {
        var (offset, depth) = (0, 0)
        while true {
            guard offset < bytes.count,
                let header = try ElementHeader(bytes.extracting(droppingFirst: offset), .ber)
            else { return nil }
            if header.isEndOfContents, depth == 0 { return offset }
            if header.isEndOfContents { depth -= 1 } else if header.length == nil { depth += 1 }
            let length = header.length ?? 0
            guard bytes.count - offset - header.count >= length else { return nil }
            offset += header.count + length
        }
    }
}
