// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct RequestCertificate: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "request",
            abstract: translated("Write a request for a certificate of a key (PKCS #10)."),
            discussion: translated(
                """
                The name is written as in RFC 4514, what is nearest to its owner first: "CN=Ann,O=Company,C=RU". A \
                comma within a value has a backslash before it. With --subject several times the parts are joined in \
                this order. Types are OpenSSL's names, such as emailAddress, INN, OGRN and SNILS, INNLE, OGRNIP, or \
                object identifiers in digits and dots.

                The type of a field decides how its text is encoded. UTF8String:, PrintableString:, NumericString:, \
                IA5String: or BMPString: before the text says otherwise, as in "L=BMPString:Moscow"; # begins a value \
                in DER, in hexadecimal digits.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var secrets: KeyUseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var result: EncodedOutput

    @Option(
        name: [.short, .long], help: .saying("The key's label or id. (default: the only key)", valueName: "key"))
    var key: String?

    @Option(help: .saying("The name of the certificate's subject.", valueName: "name"))
    var subject: [String]

    @Option(
        name: .customLong("extension"),
        help: .saying(
            "An extension to ask for, in OpenSSL's spelling: keyUsage=critical,digitalSignature.",
            valueName: "type=value"))
    var extensions: [String] = []

    func validate() throws {
        try result.validate(with: output)
        guard !subject.isEmpty else {
            throw ValidationError(translated("--subject names the certificate's subject"))
        }
        _ = try fields()
        _ = try extensionFields()
    }

    func run() async throws {
        let (key, fields, extensions) = (key, try fields(), try extensionFields())
        let request = try await secrets.perform(on: try await token.find()) { session in
            let pair = try session.keyPairs().only(named: key, .key, by: "--key")
            return try session.certificationRequest(for: pair, subject: fields, extensions: extensions)
        }
        try result.write(request, as: .certificationRequest, output)
        if let file = result.file { try output.hint(.importCertificate(request: file.shownName)) }
    }

    private func fields() throws -> [RequestField] {
        // A name is encoded with the most specific field at the end.
        try subject.flatMap { part in
            guard let fields = SubjectName.fields(of: part) else {
                throw ValidationError(translated("\(part.printable) is not a name: write CN=Ann,O=Company"))
            }
            return fields
        }.reversed()
    }

    private func extensionFields() throws -> [RequestField] {
        try extensions.map { text in
            let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard halves.count == 2 else {
                throw ValidationError(translated("\(text.printable) is not an extension: write type=value"))
            }
            return RequestField(halves[0], halves[1])
        }
    }
}

/// A name as RFC 4514 writes it.
enum SubjectName {
    /// A part between commas, without its escapes, and the places of the bytes that were escaped.
    private struct Part {
        var bytes: [UInt8] = []
        var escaped: [Int] = []
    }

    /// The fields in the order of the text; nil if the text is malformed.
    static func fields(of text: String) -> [RequestField]? {
        var fields: [RequestField] = []
        for part in parts(of: text) {
            guard let part, let equals = part.bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let type = String(decoding: part.bytes[..<equals], as: UTF8.self).trimmed
            guard !type.isEmpty,
                type.unicodeScalars.allSatisfy({ $0.isASCII && $0.properties.isAlphabetic || digits.contains($0) }),
                let field = field(names[type.uppercased()] ?? type, part, from: equals + 1)
            else { return nil }
            fields.append(field)
        }
        return fields.isEmpty ? nil : fields
    }

    private static func field(_ type: String, _ part: Part, from start: Int) -> RequestField? {
        var value = part.bytes[start...]
        while value.first == 0x20, !part.escaped.contains(value.startIndex) { value = value.dropFirst() }
        while value.last == 0x20, !part.escaped.contains(value.endIndex - 1) { value = value.dropLast() }
        guard !value.isEmpty, let string = String(validating: value, as: UTF8.self) else { return nil }
        if part.escaped.contains(value.startIndex) { return RequestField(type, literal: string) }
        guard value.first == UInt8(ascii: "#") else { return RequestField(type, string) }
        // RFC 4514, 2.4: the value in BER. A certificate is DER.
        guard let der = bytes(ofHexadecimal: value.dropFirst()) else { return nil }
        return RequestField(type, der: der)
    }

    private static func bytes(ofHexadecimal digits: ArraySlice<UInt8>) -> [UInt8]? {
        var (bytes, rest) = ([UInt8](), digits)
        while !rest.isEmpty {
            let pair = String(decoding: rest.prefix(2), as: UTF8.self)
            guard let byte = byte(pair) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// The byte of two hexadecimal digits.
    private static func byte(_ pair: String) -> UInt8? {
        pair.utf8.count == 2 && pair.allSatisfy(\.isHexDigit) ? UInt8(pair, radix: 16) : nil
    }

    private static let digits: Set<Unicode.Scalar> = Set(".0123456789-".unicodeScalars)

    /// The names of RFC 4514, 3, that OpenSSL has others for, and the upper case of its own.
    private static let names = [
        "CN": "CN", "L": "L", "ST": "ST", "O": "O", "OU": "OU", "C": "C", "STREET": "street", "DC": "DC", "UID": "UID",
        "E": "emailAddress", "EMAIL": "emailAddress", "T": "title", "G": "GN", "SERIALNUMBER": "serialNumber",
    ]

    /// The text between commas; nil for an invalid escape.
    private static func parts(of text: String) -> [Part?] {
        var parts: [Part?] = []
        var part = Part()
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                parts.append(part)
                part = Part()
            // A field of several values cannot be asked for.
            case UInt8(ascii: "+"), UInt8(ascii: "\""): return [nil]
            case UInt8(ascii: "\\"):
                part.escaped.append(part.bytes.count)
                if let value = Self.byte(String(decoding: rest.prefix(2), as: UTF8.self)) {
                    part.bytes.append(value)
                    rest = rest.dropFirst(2)
                } else if let next = rest.popFirst() {
                    part.bytes.append(next)
                } else {
                    return [nil]
                }
            default: part.bytes.append(byte)
            }
        }
        return parts + [part]
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
