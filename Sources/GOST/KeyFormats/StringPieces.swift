// SPDX-License-Identifier: Apache-2.0

/// An OCTET STRING in pieces (X.690, 8.7.3), read as it passes by.
package struct StringPieces: Sendable {
    /// The ends of the elements that the next byte is in, from the outermost on; nil for an indefinite length.
    private var ends: [Int?]
    /// The header of a piece, as far as it has come.
    private var header: [UInt8] = []
    /// The number of bytes of the current piece that have to come.
    private var left = 0
    /// The number of bytes that have come.
    package private(set) var position = 0

    /// The number of elements inside of one another that are accepted.
    private static let depthLimit = 16

    /// - Parameter count: The number of bytes of all pieces, their tags and lengths included; nil for an indefinite length.
    package init(count: Int?) {
        ends = count == 0 ? [] : [count]
    }

    /// Whether the string has come as a whole.
    package var isAtEnd: Bool { ends.isEmpty }

    /// Consumes the next bytes, up to the end of the string.
    ///
    /// - Returns: The string's bytes, in their order.
    /// - Throws: ``GOSTError/invalidEncoding``.
    package mutating func read(_ bytes: inout ArraySlice<UInt8>) throws(GOSTError) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        while !bytes.isEmpty, !isAtEnd {
            if left > 0 {
                let part = bytes.prefix(left)
                parts.append(part)
                bytes = bytes.dropFirst(part.count)
                position += part.count
                left -= part.count
            } else {
                header.append(bytes.removeFirst())
                position += 1
                guard let next = try ElementHeader(header.span, .ber) else { continue }
                header = []
                try enter(next)
            }
            try leave()
        }
        return parts
    }

    private mutating func enter(_ element: ElementHeader) throws(GOSTError) {
        if element.isEndOfContents {
            guard let end = ends.popLast(), end == nil else { throw .invalidEncoding }
            return
        }
        let end = element.length.map { position + $0 }
        if let end, let limit = ends.last(where: { $0 != nil }), let limit {
            guard end <= limit else { throw .invalidEncoding }
        }
        switch (element.tag, element.length) {
        case (DERTag.octetString.rawValue, let length?):
            left = length
        case (DERTag.octetString.rawValue | ElementHeader.constructed, _) where ends.count < Self.depthLimit:
            ends.append(end)
        default:
            throw .invalidEncoding
        }
    }

    /// Leaves the elements of definite length that have come as a whole.
    private mutating func leave() throws(GOSTError) {
        while left == 0, header.isEmpty, let last = ends.last, let end = last, position >= end {
            guard position == end else { throw .invalidEncoding }
            ends.removeLast()
        }
    }
}
