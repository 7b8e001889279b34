// SPDX-License-Identifier: Apache-2.0
import KanalKit

/// The tags of a document, found in its bytes without understanding them.
///
/// It comes before libxml2, which is slow with some documents: with too many attributes of an element, for instance. What
/// it does not find wrong may still be no XML.
struct Markup {
    /// The bytes of an element's tags.
    struct Element: Equatable {
        /// The whole start tag.
        let start: Range<Int>
        /// The whole end tag; empty behind a start tag that is an end tag as well.
        let end: Range<Int>

        var isEmpty: Bool { end.isEmpty }
    }

    /// The greatest number of bytes of a document.
    static let sizeLimit = 64 << 20
    /// The greatest number of elements.
    static let elementLimit = 4_000_000
    /// The greatest number of elements within each other.
    static let depthLimit = 64
    /// The greatest number of attributes of an element.
    static let attributeLimit = 500
    /// The greatest number of bytes of a canonical form.
    static let formLimit = 1 << 30
    /// The greatest number of comparisons of namespaces by which libxml2 finds the one of each element and attribute.
    private static let comparisonLimit = 1 << 31

    /// Bytes that stand for themselves below 0x80, each alone, in these encodings.
    private static let encodings: Set<String> = [
        "UTF-8", "UTF8", "US-ASCII", "WINDOWS-1251", "CP1251", "KOI8-R", "ISO-8859-1", "ISO-8859-5",
    ]

    private let bytes: [UInt8]
    private var position = 0
    private var elementCount = 0
    /// The number of the element that is looked for.
    private let wanted: Int?
    /// The start tags that are open, the numbers of their elements, and how many namespaces they declare.
    private var open: [(number: Int, start: Range<Int>, namespaces: Int)] = []
    private var found: Element?
    private var attributeCount = 0
    /// The namespaces of the elements that are open, and the most that ever were.
    private var (inScope, mostInScope) = (0, 0)
    /// The bytes of the longest declaration of a namespace.
    private var longestDeclaration = 0

    private init(_ bytes: [UInt8], wanted: Int?) {
        self.bytes = bytes
        self.wanted = wanted
    }

    /// Refuses a document of another encoding, with a document type, or beyond the limits.
    ///
    /// - Returns: The most bytes that a canonical form has: the exclusive one declares a namespace again wherever it is used.
    static func check(_ bytes: [UInt8]) throws(XMLFault) -> Int {
        guard bytes.count <= sizeLimit else {
            throw .refused("the document has more than \(sizeLimit >> 20) MiB")
        }
        try checkEncoding(bytes)
        var markup = Markup(bytes, wanted: nil)
        try markup.scan()
        let (most, names) = (markup.mostInScope, markup.elementCount + markup.attributeCount)
        guard (markup.elementCount * most + markup.attributeCount) * most <= comparisonLimit else {
            throw .refused(
                "the document has up to \(most) namespaces at a place, which are too many for one of its size")
        }
        let longestForm = bytes.count + names * markup.longestDeclaration
        guard longestForm <= formLimit else {
            throw .refused("the names of the document's namespaces are too long for one of its size")
        }
        return longestForm
    }

    /// The tags of an element of a document that is well-formed.
    ///
    /// - Parameter number: The number of start tags before its own.
    static func element(_ number: Int, of bytes: [UInt8]) throws(XMLFault) -> Element? {
        var markup = Markup(bytes, wanted: number)
        try markup.scan()
        return markup.found
    }

    private static func checkEncoding(_ bytes: [UInt8]) throws(XMLFault) {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let blanks = text.prefix { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let start = text.dropFirst(blanks.count)
        guard start.first == UInt8(ascii: "<"), !start.prefix(256).contains(0) else {
            throw .refused("the document is not XML, or in an encoding other than UTF-8 or windows-1251")
        }
        guard start.starts(with: Array("<?xml".utf8)), let blank = start.dropFirst(5).first,
            [0x20, 0x09, 0x0A, 0x0D].contains(blank)
        else { return }
        let declaration = String(decoding: start.prefix(256), as: UTF8.self)
        guard let end = declaration.firstRange(of: "?>") else {
            throw .refused("the XML declaration at the beginning of the document has no end")
        }
        let inside = declaration[..<end.lowerBound]
        guard let name = inside.firstRange(of: "encoding") else { return }
        let value = inside[name.upperBound...].drop { $0 == " " || $0 == "=" || $0 == "\t" || $0 == "\n" || $0 == "\r" }
        let encoding = value.dropFirst().prefix { $0 != "\"" && $0 != "'" }
        guard encodings.contains(encoding.uppercased()) else {
            throw .refused(
                "the document's encoding is \(String(encoding)): UTF-8, windows-1251, KOI8-R and ISO 8859 are read")
        }
    }

    private mutating func scan() throws(XMLFault) {
        while let start = next(UInt8(ascii: "<"), from: position), found == nil {
            position = start + 1
            guard position < bytes.count else { return }
            switch bytes[position] {
            case UInt8(ascii: "!"):
                if has("!--") {
                    skip("-->", from: position + 3)
                } else if has("![CDATA[") {
                    skip("]]>", from: position)
                } else {
                    throw .refused("the document has a document type (DTD), which can change its meaning: take it out")
                }
            case UInt8(ascii: "?"): skip("?>", from: position)
            case UInt8(ascii: "/"):
                position = next(UInt8(ascii: ">"), from: position).map { $0 + 1 } ?? bytes.count
                close(start..<position)
            default: try startTag(from: start)
            }
        }
    }

    private mutating func startTag(from start: Int) throws(XMLFault) {
        var quote: UInt8?
        var (attributes, namespaces) = (0, 0)
        // The beginning of the last word, which is the name of an attribute before "=".
        var (word, isInWord, isDeclaration) = (position, false, false)
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if let current = quote {
                guard byte == current else { continue }
                quote = nil
                if isDeclaration { longestDeclaration = max(longestDeclaration, position - word) }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "="):
                isInWord = false
                attributes += 1
                isDeclaration = bytes[word...].starts(with: "xmlns".utf8)
                if isDeclaration { namespaces += 1 }
                guard attributes <= Self.attributeLimit else {
                    throw .refused("an element has more than \(Self.attributeLimit) attributes")
                }
            case UInt8(ascii: ">"):
                attributeCount += attributes
                return try opened(start..<position, namespaces)
            case 0x20, 0x09, 0x0A, 0x0D: isInWord = false
            default:
                if !isInWord { (word, isInWord) = (position - 1, true) }
            }
        }
    }

    private mutating func opened(_ tag: Range<Int>, _ namespaces: Int) throws(XMLFault) {
        let number = elementCount
        elementCount += 1
        guard elementCount <= Self.elementLimit else {
            throw .refused("the document has more than \(Self.elementLimit) elements")
        }
        open.append((number, tag, namespaces))
        inScope += namespaces
        mostInScope = max(mostInScope, inScope)
        guard open.count <= Self.depthLimit else {
            throw .refused("the document has more than \(Self.depthLimit) elements within each other")
        }
        if bytes[tag.upperBound - 2] == UInt8(ascii: "/") { close(tag.upperBound..<tag.upperBound) }
    }

    private mutating func close(_ end: Range<Int>) {
        guard let (number, start, namespaces) = open.popLast() else { return }
        inScope -= namespaces
        guard number == wanted else { return }
        found = Element(start: start, end: end)
    }

    private func next(_ byte: UInt8, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index] == byte { return index }
            index += 1
        }
        return nil
    }

    private func has(_ text: StaticString) -> Bool {
        let start = position
        guard bytes.count - start >= text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { unsafe bytes[start + $0] == text.utf8Start[$0] }
    }

    /// Goes on behind a text; without it, there is nothing more to find.
    private mutating func skip(_ end: StaticString, from start: Int) {
        position = start
        while position < bytes.count {
            if has(end) { return position += end.utf8CodeUnitCount }
            position += 1
        }
    }
}
