// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Translation

/// base64url without padding (RFC 4648, 5; RFC 7515, 2).
enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(digits[bits >> (18 - 6 * place) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that a text stands for; nil if it is not exactly what ``text(_:)`` makes of some.
    static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        bytes.reserveCapacity(text.count * 3 / 4)
        for digit in text {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= 1 << UInt32(count) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// Parameters behind an address, or in the body of a request (RFC 3986, 2.1; HTML's application/x-www-form-urlencoded).
enum FormParameters {
    /// A space is %20, which is the same in both forms.
    static func text(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(PercentEncoding.encoded($0.value.utf8))" }.joined(separator: "&")
    }

    /// Parameters by their names; nil if one of them cannot be read or is there twice.
    static func values(_ text: Substring) -> [String: String]? {
        var values: [String: String] = [:]
        for part in text.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decodedText(halves[0]),
                let value = PercentEncoding.decodedText(halves.dropFirst().first ?? ""),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return values
    }
}

/// A time as the identity service reads it, to a second and in UTC: `2026.03.31 12:00:00 +0000`.
struct ServiceTime {
    let text: String

    /// - Throws: `KanalError.invalidArgument` before 1970 and after 9999.
    init(secondsSince1970 seconds: Int64) throws(KanalError) {
        guard (0..<253_402_300_800).contains(seconds) else {
            throw .invalidArgument("time out of range (1970 to 9999)")
        }
        // Days are counted from 1 March of the year 0, in years that end with the leap day.
        let days = seconds / 86400 + 719_468
        let (era, day) = (days / 146_097, days % 146_097)
        let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let date = [era * 400 + year + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * fromMarch + 2) / 5 + 1]
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60]
        text =
            Self.digits(date[0], 4) + "." + date.dropFirst().map { Self.digits($0, 2) }.joined(separator: ".") + " "
            + clock.map { Self.digits($0, 2) }.joined(separator: ":") + " +0000"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
