// SPDX-License-Identifier: Apache-2.0

/// Text in addresses (RFC 3986, 2.1).
enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF")

    /// The text with all but unreserved characters encoded.
    static func encoded(_ text: String) -> String {
        var result = ""
        for octet in text.utf8 {
            switch octet {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(octet))
            default:
                result.append("%")
                result.append(digits[Int(octet >> 4)])
                result.append(digits[Int(octet & 15)])
            }
        }
        return result
    }

    /// The decoded text; nil if the encoding is malformed, or decodes to control characters or invalid UTF-8.
    ///
    /// - Parameter plusIsSpace: Whether "+" stands for a space, as in forms.
    static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
        var octets: [UInt8] = []
        var rest = text.utf8
        while let octet = rest.popFirst() {
            if octet == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
                    return nil
                }
                octets.append(high << 4 | low)
            } else {
                octets.append(plusIsSpace && octet == UInt8(ascii: "+") ? 0x20 : octet)
            }
        }
        guard let decoded = String(validating: octets, as: UTF8.self) else { return nil }
        let isPlain = decoded.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isPlain ? decoded : nil
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
