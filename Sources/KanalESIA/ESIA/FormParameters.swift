// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Translation

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
