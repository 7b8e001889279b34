// SPDX-License-Identifier: Apache-2.0
import CXML

/// A canonical form of documents: the bytes that are signed.
///
/// References within a document never cover comments (XML Signature, 4.4.3.3), and signatures with comments in them are
/// refused, so that the forms with comments write the same bytes as the others.
enum Canonicalization: Equatable {
    /// Canonical XML 1.0: with all prefixes that are known at a place.
    case inclusive
    /// Canonical XML 1.1.
    case inclusive11
    /// Exclusive XML Canonicalization 1.0: with prefixes that are used, and with these.
    case exclusive(prefixes: [String])

    init?(_ identifier: String, prefixes: [String]) {
        let suffix = "#WithComments"
        switch identifier {
        case Self.inclusiveIdentifier, Self.inclusiveIdentifier + suffix: self = .inclusive
        case Self.inclusive11Identifier, Self.inclusive11Identifier + suffix: self = .inclusive11
        case Self.exclusiveIdentifier, Self.exclusiveIdentifier + "WithComments": self = .exclusive(prefixes: prefixes)
        default: return nil
        }
    }

    private static let inclusiveIdentifier = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
    private static let inclusive11Identifier = "http://www.w3.org/2006/12/xml-c14n11"
    /// Also the namespace of the element with prefixes.
    static let exclusiveIdentifier = "http://www.w3.org/2001/10/xml-exc-c14n#"

    var identifier: String {
        switch self {
        case .inclusive: Self.inclusiveIdentifier
        case .inclusive11: Self.inclusive11Identifier
        case .exclusive: Self.exclusiveIdentifier
        }
    }

    var kind: CXMLCanonicalization {
        switch self {
        case .inclusive: CXML_INCLUSIVE
        case .inclusive11: CXML_INCLUSIVE_1_1
        case .exclusive: CXML_EXCLUSIVE
        }
    }

    /// The prefixes that are treated as in the inclusive form, each with a NUL behind it.
    var prefixTexts: [CChar] {
        guard case .exclusive(let prefixes) = self else { return [] }
        return prefixes.flatMap { prefix in prefix.utf8.map(CChar.init(bitPattern:)) + [0] }
    }
}
