// SPDX-License-Identifier: Apache-2.0
import GOST

/// A time of the Gregorian calendar, Greenwich, to a second.
struct CalendarTime {
    private let year, month, day, second: Int

    /// - Throws: ``HostCryptoError/invalidParameter`` before 1950 and after 9999, which RFC 5652, 11.3, has no form for.
    init(secondsSince1970 seconds: Int) throws(HostCryptoError) {
        guard (-631_152_000..<253_402_300_800).contains(seconds) else { throw .invalidParameter }
        // Days are counted from 1 March of the year 0 of the calendar, whose years end with the leap day.
        let days = (seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400) + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        second = seconds - (days - 719_468) * 86400
    }

    /// UTCTime to 2049, GeneralizedTime from then on (RFC 5652, 11.3).
    var der: [UInt8] {
        let isShort = (1950...2049).contains(year)
        let digits =
            (isShort ? Self.digits(year % 100) : Self.digits(year / 100) + Self.digits(year % 100))
            + Self.digits(month) + Self.digits(day) + Self.digits(second / 3600) + Self.digits(second / 60 % 60)
            + Self.digits(second % 60)
        return (isShort ? DERTag.utcTime : .generalizedTime).element(digits + [UInt8(ascii: "Z")])
    }

    private static func digits(_ number: Int) -> [UInt8] {
        [number / 10, number % 10].map { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: $0) }
    }
}
