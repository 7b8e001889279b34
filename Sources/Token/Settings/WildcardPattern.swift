// SPDX-License-Identifier: Apache-2.0

/// The names of some readers: `*` stands for any characters or none, `?` for one. Case does not count.
package struct WildcardPattern: Sendable, Equatable {
    /// The pattern as it was written.
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Whether the whole of `reader` matches the pattern.
    package func matches(_ reader: String) -> Bool {
        let pattern = Array(text.lowercased()), name = Array(reader.lowercased())
        var (position, index) = (0, 0)
        // The position of the last star, and the first character of the name that it does not match.
        var star: (position: Int, index: Int)?
        while index < name.count {
            if position < pattern.count, pattern[position] == "*" {
                star = (position, index)
                position += 1
            } else if position < pattern.count, pattern[position] == "?" || pattern[position] == name[index] {
                position += 1
                index += 1
            } else if let last = star {
                star = (last.position, last.index + 1)
                (position, index) = (last.position + 1, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == "*" }
    }
}
