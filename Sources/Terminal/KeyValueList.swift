// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
package import Translation

/// Lines of a name and a value each, with the values below each other.
package struct KeyValueList {
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
