// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Text of a document in ASCII, which every encoding that is read has.
enum XMLText {
    /// A text between tags, or the value of an attribute.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case " "..."~": result.unicodeScalars.append(scalar)
            default: result += "&#\(scalar.value);"
            }
        }
    }

    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes of a text in base64, which blanks may divide; nil for another text.
    static func bytes(ofBase64 text: String) -> [UInt8]? {
        let digits = Data(text.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) })
        return digits.isEmpty ? nil : Data(base64Encoded: digits).map { Array($0) }
    }
}
