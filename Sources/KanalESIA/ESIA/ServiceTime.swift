// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Translation

/// A time as the identity service reads it, to a second and in UTC: `2026.03.31 12:00:00 +0000`.
struct ServiceTime {
    let text: String

    /// - Throws: `KanalError.invalidArgument` before 1970 and after 9999.
    init(secondsSince1970 seconds: Int64) throws(KanalError) {
        guard (0..<253_402_300_800).contains(seconds) else {
            throw .invalidArgument("time out of range (1970 to 9999)")
        }
        // Days are counted from 1 March of the year 0, in years that end with the leap day.
        let days = seconds / 86400 + 719_468
        let (era, day) = (days / 146_097, days % 146_097)
        let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let date = [era * 400 + year + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * fromMarch + 2) / 5 + 1]
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60]
        text =
            Self.digits(date[0], 4) + "." + date.dropFirst().map { Self.digits($0, 2) }.joined(separator: ".") + " "
            + clock.map { Self.digits($0, 2) }.joined(separator: ":") + " +0000"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
