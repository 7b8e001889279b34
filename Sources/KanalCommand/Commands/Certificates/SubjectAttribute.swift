// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// A type of field of a name, as people write it.
struct SubjectAttribute: Sendable {
    /// A rule for the text.
    enum Rule: Sendable {
        case digits(Int)
        case country
        /// The most characters.
        case most(Int)
    }

    /// OpenSSL's name, by which the request asks for it.
    let type: String
    let others: [String]
    let rule: Rule?

    private init(_ type: String, _ rule: Rule? = nil, or others: String...) {
        (self.type, self.rule, self.others) = (type, rule, others)
    }

    /// The attributes with rules or other names. Lengths are from OpenSSL, digits from FSB order 795, 18.
    private static let known = [
        SubjectAttribute("CN", .most(64)), SubjectAttribute("SN"), SubjectAttribute("GN", or: "G"),
        SubjectAttribute("emailAddress", .most(128), or: "E", "email"), SubjectAttribute("title", .most(64), or: "T"),
        SubjectAttribute("OU", .most(64)), SubjectAttribute("O", .most(64)),
        SubjectAttribute("INN", .digits(12), or: "ИНН"), SubjectAttribute("SNILS", .digits(11), or: "СНИЛС"),
        SubjectAttribute("INNLE", .digits(10), or: "ИНН ЮЛ"), SubjectAttribute("OGRN", .digits(13), or: "ОГРН"),
        SubjectAttribute("OGRNIP", .digits(15), or: "ОГРНИП"), SubjectAttribute("street"),
        SubjectAttribute("L", .most(128)), SubjectAttribute("ST", .most(128)), SubjectAttribute("C", .country),
        SubjectAttribute("DC"), SubjectAttribute("UID"), SubjectAttribute("serialNumber", .most(64)),
        SubjectAttribute("initials"), SubjectAttribute("pseudonym"), SubjectAttribute("description"),
        SubjectAttribute("postalCode"), SubjectAttribute("organizationIdentifier"),
    ]

    /// All names, in upper case and without spaces.
    private static let byName = Dictionary(
        known.flatMap { attribute in attribute.names.map { (key($0), attribute) } }, uniquingKeysWith: { $1 })

    private var names: [String] { [type] + others }

    private static func key(_ name: String) -> String { name.uppercased().filter { $0 != " " } }

    /// The attribute of a name in any case; nil for an attribute without a rule and other names.
    init?(named name: String) {
        guard let attribute = Self.byName[Self.key(name)] else { return nil }
        self = attribute
    }

    /// The name that is spelled most like another one. To a single letter, any other is as near.
    static func nearest(to name: String) -> String? {
        Spelling.nearest(to: name, among: known.flatMap(\.names).filter { $0.count > 1 })
    }

    /// - Parameter name: The type, as a person knows it.
    /// - Returns: The reason why a field is not of this type; nil if it is.
    func fault(of field: RequestField, as name: Phrase) -> SubjectFault? {
        // A value with a string type of its own, or in DER, is taken as it is.
        guard let text = field.plainText else { return nil }
        switch rule {
        case .digits(let count)?:
            let isNumber = text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            return isNumber ? nil : .digits(name, count)
        case .country?:
            let isCode = text.utf8.count == 2 && text.allSatisfy { $0.isASCII && $0.isLetter }
            return isCode ? nil : .country(name)
        case .most(let count)?: return text.unicodeScalars.count <= count ? nil : .tooLong(name, count)
        case nil: return nil
        }
    }
}
