// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Translation

/// A day or a time on the command line (ISO 8601), Greenwich.
enum MomentArgument {
    /// - Parameter text: `2026-03-31`, which is the day's first second, or `2026-03-31T12:00:00Z`.
    /// - Returns: In seconds since 1970.
    /// - Throws: `ValidationError` for other text.
    static func seconds(_ text: String) throws -> Int64 {
        let style = Date.ISO8601FormatStyle()
        guard let date = date(text, style) ?? date(text, style.year().month().day()),
            (0..<253_402_300_800).contains(date.timeIntervalSince1970)
        else { throw ValidationError(translated("write a time as 2026-03-31 or 2026-03-31T12:00:00Z")) }
        return Int64(date.timeIntervalSince1970)
    }

    /// The date of a text that has nothing behind it: a day with a time that a style cannot read is no day.
    private static func date(_ text: String, _ style: Date.ISO8601FormatStyle) -> Date? {
        let found = try? style.consuming(text, startingAt: text.startIndex, in: text.startIndex..<text.endIndex)
        guard let found, found.upperBound == text.endIndex else { return nil }
        return found.output
    }
}
