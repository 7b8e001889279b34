// SPDX-License-Identifier: Apache-2.0

/// The word that was meant, for a message about an unknown word.
package enum Spelling {
    /// The longest word that is compared, in characters of Unicode.
    private static let limit = 64

    /// The word with the fewest differences, if these are few: one for each three letters.
    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let typed = Array(word.lowercased().unicodeScalars)
        guard typed.count <= limit else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in words {
            let letters = Array(candidate.lowercased().unicodeScalars)
            guard letters.count <= limit else { continue }
            let distance = distance(typed, letters)
            let most = max(1, min(typed.count, letters.count) / 3)
            if distance <= most, distance < best?.distance ?? Int.max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// The number of characters to add, drop, replace, or exchange with their neighbours.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = last[column] + (letter == other ? 0 : 1)
                var least = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
