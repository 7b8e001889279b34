// SPDX-License-Identifier: Apache-2.0
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

/// Lines of a name and a value each, with the values below each other.
package struct Facts {
    private var lines: [(name: String, value: String)] = []

    package init() {}

    /// Adds a line, unless the value is nil.
    package mutating func add(_ name: Phrase, _ value: String?) {
        if let value { lines.append((translated(name), value.printable)) }
    }

    package func text(_ style: Style) -> String {
        let width = (lines.map(\.name.columns).max() ?? 0) + 2
        return lines.map { name, value in
            let line = (name + ":").padded(to: width) + value
            return line.wrapped(to: style.width, indent: String(repeating: " ", count: min(width, 8))) + "\n"
        }.joined()
    }
}
