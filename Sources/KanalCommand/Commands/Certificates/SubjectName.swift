// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal
import Translation

/// A name as RFC 4514 writes it, with Russian names of attributes beside OpenSSL's.
enum SubjectName {
    /// A part of a name that is wrong.
    struct Malformed: Explained {
        /// As it was written.
        let part: String
        let fault: SubjectFault

        var explanation: Phrase { "--subject: \"\(part.printable)\": \(fault)" }
    }

    /// A part between commas, without its escapes, and the places of the bytes that were escaped.
    private struct Part {
        var written: [UInt8] = []
        var bytes: [UInt8] = []
        var escaped: [Int] = []
        var fault: SubjectFault?
    }

    /// The fields in the order of the text.
    static func fields(of text: String) throws(Malformed) -> [RequestField] {
        var fields: [RequestField] = []
        for part in parts(of: text) {
            do throws(SubjectFault) {
                fields.append(try field(of: part))
            } catch {
                throw Malformed(part: String(decoding: part.written, as: UTF8.self).trimmed, fault: error)
            }
        }
        return fields
    }

    private static func field(of part: Part) throws(SubjectFault) -> RequestField {
        if let fault = part.fault { throw fault }
        guard part.bytes.contains(where: { $0 != 0x20 }) else { throw .empty }
        guard let equals = part.bytes.firstIndex(of: UInt8(ascii: "=")) else { throw .noType }
        let name = String(decoding: part.bytes[..<equals], as: UTF8.self).trimmed
        guard !name.isEmpty else { throw .noType }
        let attribute = SubjectAttribute(named: name)
        let field = try field(attribute?.type ?? name, part, from: equals + 1)
        guard attribute != nil || isType(name), field.hasKnownType else {
            throw .unknown(name.printable, nearest: SubjectAttribute.nearest(to: name))
        }
        let shown = Phrase(verbatim: name.printable)
        if let fault = attribute?.fault(of: field, as: shown) { throw fault }
        guard field.isAccepted else { throw .refused(shown) }
        return field
    }

    /// Whether OpenSSL could have it as a name of a type.
    private static func isType(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic || digits.contains($0) }
    }

    private static func field(_ type: String, _ part: Part, from start: Int) throws(SubjectFault) -> RequestField {
        var value = part.bytes[start...]
        while value.first == 0x20, !part.escaped.contains(value.startIndex) { value = value.dropFirst() }
        while value.last == 0x20, !part.escaped.contains(value.endIndex - 1) { value = value.dropLast() }
        guard !value.isEmpty else { throw .noValue }
        guard let string = String(validating: value, as: UTF8.self) else { throw .notText }
        if part.escaped.contains(value.startIndex) { return RequestField(type, literal: string) }
        guard value.first == UInt8(ascii: "#") else { return RequestField(type, string) }
        // RFC 4514, 2.4: the value in BER. A certificate is DER.
        guard let der = [UInt8](hexadecimal: value.dropFirst()), !der.isEmpty else { throw .notDER }
        return RequestField(type, der: der)
    }

    private static let digits: Set<Unicode.Scalar> = Set(".0123456789-".unicodeScalars)

    /// The text between commas; a part that cannot be read is the last.
    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var part = Part()
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                parts.append(part)
                part = Part()
                continue
            // A field of several values cannot be asked for.
            case UInt8(ascii: "+"), UInt8(ascii: "\""):
                part.written += [byte] + rest.prefix { $0 != UInt8(ascii: ",") }
                part.fault = .bare(String(Unicode.Scalar(byte)))
                return parts + [part]
            case UInt8(ascii: "\\"):
                part.escaped.append(part.bytes.count)
                part.written.append(byte)
                let pair = rest.prefix(2)
                if pair.count == 2, let value = [UInt8](hexadecimal: pair) {
                    part.bytes += value
                    part.written += pair
                    rest = rest.dropFirst(2)
                } else if let next = rest.popFirst() {
                    part.bytes.append(next)
                    part.written.append(next)
                } else {
                    part.fault = .nothingEscaped
                    return parts + [part]
                }
            default:
                part.bytes.append(byte)
                part.written.append(byte)
            }
        }
        return parts + [part]
    }
}

extension String {
    /// The text without spaces at its ends.
    var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
