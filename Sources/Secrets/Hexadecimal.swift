// SPDX-License-Identifier: Apache-2.0

extension BinaryInteger {
    /// The number in lowercase hexadecimal digits, with zeros before it up to as many digits.
    package func hexadecimal(digits: Int = 1) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension Sequence<UInt8> {
    /// Two lowercase hexadecimal digits for each byte.
    package var hexadecimal: String { map { $0.hexadecimal(digits: 2) }.joined() }
}

extension [UInt8] {
    /// The bytes of pairs of hexadecimal digits in ASCII; nil for any other text.
    package init?(hexadecimal text: some Collection<UInt8>) {
        let digits = text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
