// SPDX-License-Identifier: Apache-2.0
import Translation

/// One line `key = value` of a file.
struct Setting {
    let key: Key
    let value: String
    let line: Int
}

extension Setting {
    /// The elements of a list, separated by commas.
    var elements: [String] { value.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty } }
}

extension StringProtocol {
    /// Without white space at both ends.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }

    /// Whether it can name a directory of its own and nothing else.
    var isName: Bool {
        (1...64).contains(utf8.count) && first != "."
            && utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
