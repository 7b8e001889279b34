// SPDX-License-Identifier: Apache-2.0

/// The word that was meant, for a message about one that is not known.
package enum Spelling {
    /// The longest word that is compared, in bytes.
    private static let limit = 64

    /// The word with the fewest differences, if these are few: one for each three letters.
    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let typed = Array(word.lowercased().utf8)
        guard typed.count <= limit else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in words {
            let bytes = Array(candidate.lowercased().utf8)
            guard bytes.count <= limit else { continue }
            let distance = distance(typed, bytes)
            let most = max(1, min(typed.count, bytes.count) / 3)
            if distance <= most, distance < best?.distance ?? Int.max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// The number of bytes to add, drop, replace, or exchange with their neighbours.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = last[column] + (byte == other ? 0 : 1)
                var least = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
