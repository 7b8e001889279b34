// SPDX-License-Identifier: Apache-2.0
import Secrets

/// Bytes in addresses (RFC 3986, 2.1).
package enum PercentEncoding {
    /// The bytes with all but unreserved characters encoded.
    package static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(Unicode.Scalar(byte))
            default: "%" + byte.hexadecimal(digits: 2).uppercased()
            }
        }.joined()
    }

    /// The decoded bytes; nil if the encoding is malformed.
    ///
    /// - Parameter plusIsSpace: Whether "+" stands for a space, as in forms.
    package static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return bytes
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
