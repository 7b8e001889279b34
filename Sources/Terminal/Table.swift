// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
package import Translation

/// Rows of text with a heading, in aligned columns. Text from outside is made printable.
package struct Table {
    private let headings: [String]
    private var rows: [[String]] = []

    package init(_ headings: [Phrase]) { self.headings = headings.map(translated) }

    /// Adds a row, with a cell for each heading.
    package mutating func add(_ cells: [String]) {
        rows.append(cells.map { $0.isEmpty ? "-" : $0.printable })
    }

    /// The lines of the table. If they are wider than the terminal, each row becomes a block of lines, one for each
    /// cell, with its heading before it.
    package func text(_ style: Style) -> String {
        guard !rows.isEmpty else { return "" }
        let widths = headings.indices.map { column in
            max(headings[column].columns, rows.map { $0[column].columns }.max() ?? 0)
        }
        guard let width = style.width else { return lines(style, widths) }
        // The last column may be broken.
        let last = widths.last ?? 0
        let others = widths.reduce(0, +) + 2 * (widths.count - 1) - last
        guard others + min(last, Self.leastLastColumn) <= width else { return blocks(style) }
        return lines(style, widths, lastColumn: width - others)
    }

    /// How narrow the last column may become before rows become blocks.
    private static let leastLastColumn = 20

    private func lines(_ style: Style, _ widths: [Int], lastColumn: Int? = nil) -> String {
        ([headings] + rows).enumerated().map { number, cells in
            let start = zip(cells, widths).dropLast().map { $0.padded(to: $1) + "  " }.joined()
            let indent = "\n" + String(repeating: " ", count: start.columns)
            let end = (cells.last ?? "").wrapped(to: lastColumn).split(separator: "\n").joined(separator: indent)
            return (number == 0 ? style.text(start + end, .bold) : start + end) + "\n"
        }.joined()
    }

    private func blocks(_ style: Style) -> String {
        rows.map { cells in
            zip(headings, cells).map { heading, cell in "\(style.text(heading + ":", .bold)) \(cell)\n" }.joined()
        }.joined(separator: "\n")
    }
}

extension String {
    /// The number of a terminal's columns that the text occupies, without the sequences of ``Style``.
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
        // Columns of a line that fits stay where they are.
        guard columns > width else { return self }
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
