// SPDX-License-Identifier: Apache-2.0
import CHostProcess

extension String {
    /// The number of a terminal's columns that the text takes, without the sequences of ``Style``.
    package var columns: Int {
        var isEscape = false
        return unicodeScalars.reduce(0) { sum, scalar in
            if isEscape || scalar == "\u{1B}" {
                isEscape = scalar != "m"
                return sum
            }
            // wchar_t is signed on some processors.
            let width = wcwidth(.init(truncatingIfNeeded: scalar.value))
            // The C locale knows the width of ASCII alone.
            return sum + Int(width < 0 ? 1 : width)
        }
    }

    /// The text, with spaces behind it up to a number of columns.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - columns, 0)) }

    /// The text in lines of at most so many columns, broken between words. A longer word stays whole, so that it can be
    /// copied.
    ///
    /// - Parameter indent: The beginning of each line but the first.
    package func wrapped(to width: Int?, indent: String = "") -> String {
        guard let width else { return self }
        return split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).wrappedLine(to: width, indent: indent) }.joined(separator: "\n")
    }

    private func wrappedLine(to width: Int, indent: String) -> String {
        var lines: [String] = []
        var line = String(prefix { $0 == " " })
        var isEmpty = true
        for word in split(separator: " ").map(String.init) {
            if !isEmpty, line.columns + 1 + word.columns > width {
                lines.append(line)
                (line, isEmpty) = (indent, true)
            }
            line += isEmpty ? word : " " + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
