// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A Name (RFC 5280, 4.1.2.4) as types and texts, in the order of its encoding.
package struct DistinguishedName: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        /// A short name, or the object identifier in dotted decimal.
        package let type: String
        /// A value that is not text is "#" and the DER in hexadecimal digits (RFC 4514, 2.4).
        package let value: String
    }

    package let fields: [Field]

    /// - Parameter der: The whole of the Name in DER.
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    package init(der: [UInt8]) throws(HostCryptoError) {
        do throws(GOSTError) { fields = try Self.fields(der) } catch { throw .invalidEncoding }
    }

    private static func fields(_ der: [UInt8]) throws(GOSTError) -> [Field] {
        var fields: [Field] = []
        var outer = DERReader(der.span)
        var name = DERReader(try outer.contents(.sequence))
        try outer.end()
        while !name.isAtEnd {
            var set = DERReader(try name.contents(.set))
            repeat {
                var field = DERReader(try set.contents(.sequence))
                let oid = try field.objectIdentifier()
                let value = [UInt8](copying: field.remainder())
                fields.append(Field(type: try type(oid), value: try text(value)))
            } while !set.isAtEnd
        }
        return fields
    }

    private static func type(_ oid: [UInt8]) throws(GOSTError) -> String {
        guard let dotted = String(objectIdentifier: oid) else { throw .invalidEncoding }
        return types[dotted] ?? dotted
    }

    private static func text(_ value: [UInt8]) throws(GOSTError) -> String {
        for kind in StringKind.allCases {
            var reader = DERReader(value.span)
            guard reader.isAt(kind.tag) else { continue }
            let bytes = [UInt8](copying: try reader.contents(kind.tag))
            try reader.end()
            return kind.text(bytes)
        }
        return "#" + value.hexadecimal.uppercased()
    }

    /// The names by which OpenSSL knows types of fields, including the types of Russian law.
    private static let types = [
        "2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
        "2.5.4.9": "street", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title", "2.5.4.13": "description",
        "2.5.4.17": "postalCode", "2.5.4.42": "GN", "2.5.4.43": "initials", "2.5.4.65": "pseudonym",
        "2.5.4.97": "organizationIdentifier", "0.9.2342.19200300.100.1.1": "UID",
        "0.9.2342.19200300.100.1.25": "DC", "1.2.840.113549.1.9.1": "emailAddress",
        "1.2.840.113549.1.9.2": "unstructuredName", "1.2.643.3.131.1.1": "INN", "1.2.643.100.1": "OGRN",
        "1.2.643.100.3": "SNILS", "1.2.643.100.4": "INNLE", "1.2.643.100.5": "OGRNIP",
    ]
}

/// How the text of a DirectoryString, or of an older field, is encoded.
private enum StringKind: CaseIterable {
    case utf8, printable, ia5, numeric, visible, teletex, bmp, universal

    var tag: DERTag {
        switch self {
        case .utf8: .utf8String
        case .printable: .printableString
        case .ia5: .ia5String
        case .numeric: .numericString
        case .visible: .visibleString
        case .teletex: .teletexString
        case .bmp: .bmpString
        case .universal: .universalString
        }
    }

    /// The text; invalid parts become U+FFFD.
    func text(_ bytes: [UInt8]) -> String {
        switch self {
        case .utf8, .printable, .ia5, .numeric, .visible: String(decoding: bytes, as: UTF8.self)
        // Programs use Latin-1 there, despite T.61.
        case .teletex: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmp: String(decoding: Self.numbers(bytes, of: 2).map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
        case .universal:
            String(String.UnicodeScalarView(Self.numbers(bytes, of: 4).map { Unicode.Scalar($0) ?? "\u{FFFD}" }))
        }
    }

    private static func numbers(_ bytes: [UInt8], of size: Int) -> [UInt32] {
        stride(from: 0, to: bytes.count, by: size).map { start in
            bytes.dropFirst(start).prefix(size).reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}

extension String {
    /// An object identifier in dotted decimal.
    ///
    /// - Parameter oid: In DER, tag and length included.
    /// - Returns: nil for one with a number that no identifier in use has.
    init?(objectIdentifier oid: [UInt8]) {
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        for byte in oid.dropFirst(2) {
            guard number >> 57 == 0 else { return nil }
            number = number << 7 | UInt64(byte & 0x7F)
            guard byte < 0x80 else { continue }
            if numbers.isEmpty {
                let first = Swift.min(number / 40, 2)
                numbers = [first, number - 40 * first]
            } else {
                numbers.append(number)
            }
            number = 0
        }
        self = numbers.map { String($0) }.joined(separator: ".")
    }
}
