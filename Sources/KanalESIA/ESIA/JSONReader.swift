// SPDX-License-Identifier: Apache-2.0
import Secrets

/// Reads JSON, and refuses all that two programs could read differently: names that are there twice, invalid UTF-8,
/// half pairs of surrogates, text behind the end.
struct JSONReader {
    struct Malformed: Error {}

    /// The limit of nesting.
    private static let depth = 16

    private var rest: ArraySlice<UInt8>

    /// An object that is the whole text.
    static func object(_ text: [UInt8]) throws(Malformed) -> [String: JSONValue] {
        // Everything below works on bytes.
        guard String(validating: text, as: UTF8.self) != nil else { throw Malformed() }
        var reader = JSONReader(rest: text[...])
        let value = try reader.value(within: depth)
        reader.skipSpace()
        guard reader.rest.isEmpty, case .object(let members) = value else { throw Malformed() }
        return members
    }

    private mutating func value(within depth: Int) throws(Malformed) -> JSONValue {
        skipSpace()
        switch rest.first {
        case UInt8(ascii: "{"): return .object(try members(within: depth - 1))
        case UInt8(ascii: "["): return .list(try elements(within: depth - 1))
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func members(within depth: Int) throws(Malformed) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        try parts(from: "{", to: "}", within: depth) { (reader: inout Self) throws(Malformed) in
            let name = String(decoding: try reader.text(), as: UTF8.self)
            try reader.expect(":")
            let value = try reader.value(within: depth)
            guard members.updateValue(value, forKey: name) == nil else { throw Malformed() }
        }
        return members
    }

    private mutating func elements(within depth: Int) throws(Malformed) -> [JSONValue] {
        var elements: [JSONValue] = []
        try parts(from: "[", to: "]", within: depth) { (reader: inout Self) throws(Malformed) in
            elements.append(try reader.value(within: depth))
        }
        return elements
    }

    private mutating func parts(
        from first: Unicode.Scalar, to last: Unicode.Scalar, within depth: Int,
        _ read: (inout Self) throws(Malformed) -> Void
    ) throws(Malformed) {
        guard depth > 0 else { throw Malformed() }
        try expect(first)
        skipSpace()
        if take(last) { return }
        repeat {
            skipSpace()
            try read(&self)
            skipSpace()
        } while take(",")
        try expect(last)
    }

    private mutating func text() throws(Malformed) -> [UInt8] {
        try expect("\"")
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return bytes
            case UInt8(ascii: "\\"): bytes += Array(String(try escaped()).utf8)
            case 0..<0x20: throw Malformed()
            default: bytes.append(byte)
            }
        }
        throw Malformed()
    }

    private mutating func escaped() throws(Malformed) -> Character {
        switch rest.popFirst() {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            var code = unit
            if (0xD800..<0xDC00).contains(unit) {
                guard take("\\"), take("u") else { throw Malformed() }
                let low = try codeUnit()
                guard (0xDC00..<0xE000).contains(low) else { throw Malformed() }
                code = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw Malformed() }
            return Character(scalar)
        default: throw Malformed()
        }
    }

    private mutating func codeUnit() throws(Malformed) -> UInt32 {
        guard let bytes = [UInt8](hexadecimal: rest.prefix(4)), bytes.count == 2 else { throw Malformed() }
        rest = rest.dropFirst(4)
        return UInt32(bytes[0]) << 8 | UInt32(bytes[1])
    }

    /// A number, as it is written.
    private mutating func number() throws(Malformed) -> String {
        let start = rest
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: start.prefix(start.count - rest.count), as: UTF8.self)
    }

    private mutating func digits() throws(Malformed) {
        guard let first = rest.first, Self.isDigit(first) else { throw Malformed() }
        rest = rest.drop(while: Self.isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Malformed) -> JSONValue {
        guard rest.starts(with: word.utf8) else { throw Malformed() }
        rest = rest.dropFirst(word.utf8.count)
        return value
    }

    private mutating func skipSpace() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == scalar.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(Malformed) {
        skipSpace()
        guard take(scalar) else { throw Malformed() }
    }
}
