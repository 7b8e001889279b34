// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// A time of the Gregorian calendar, Greenwich, to a second.
package struct CalendarTime {
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

    /// Reads a time as ``der`` writes it.
    ///
    /// - Returns: In seconds since 1970; nil for a time of another form.
    static func seconds(of der: [UInt8]) -> Int? {
        let digits = der.dropFirst(2).dropLast().map { Int($0) - Int(UInt8(ascii: "0")) }
        guard [12, 14].contains(digits.count), digits.allSatisfy((0...9).contains) else { return nil }
        let pairs: [Int] = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        let year: Int = pairs.count == 7 ? pairs[0] * 100 + pairs[1] : pairs[0] + (pairs[0] < 50 ? 2000 : 1900)
        let (month, day, clock) = (pairs[pairs.count - 5], pairs[pairs.count - 4], pairs.suffix(3))
        // Days are counted as above.
        let (march, years) = month > 2 ? (month - 3, year) : (month + 9, year - 1)
        let leapDays = years / 4 - years / 100 + years / 400
        let days: Int = 365 * years + leapDays + (153 * march + 2) / 5 + day - 1 - 719_468
        let seconds = days * 86400 + clock.reduce(0) { $0 * 60 + $1 }
        // A day that its month does not have, such as 30 February, must not become one of the next month.
        guard let time = try? CalendarTime(secondsSince1970: seconds), time.der == der else { return nil }
        return seconds
    }

    /// Reads a time as `YYYYMMDDhhmmssZ`.
    ///
    /// - Returns: In seconds since 1970; nil for a time of another form.
    package static func seconds(of text: String) -> Int? {
        guard text.utf8.count == 15, text.hasSuffix("Z"), let year = Int(text.prefix(4)) else { return nil }
        let isShort = (1950...2049).contains(year)
        let bytes = Array(text.utf8.dropFirst(isShort ? 2 : 0))
        return seconds(of: (isShort ? DERTag.utcTime : .generalizedTime).element(bytes))
    }

    private static func digits(_ number: Int) -> [UInt8] {
        [number / 10, number % 10].map { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: $0) }
    }
}

extension DERTag {
    /// The INTEGER that is this number, most significant byte first (X.690, 8.3).
    static func unsignedInteger(_ number: [UInt8]) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        let sign: [UInt8] = digits.first.map { $0 >= 0x80 } ?? true ? [0] : []
        return DERTag.integer.element(sign + digits)
    }
}

extension DERReader {
    /// Reads an INTEGER that is not negative and returns it in the fewest bytes, most significant first; none for zero.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` also if it is negative or has needless bytes.
    mutating func unsignedInteger() throws(GOSTError) -> [UInt8] {
        let bytes = [UInt8](copying: try contents(.integer))
        guard let first = bytes.first, first < 0x80 else { throw .invalidEncoding }
        guard first == 0 else { return bytes }
        guard bytes.count == 1 || bytes[1] >= 0x80 else { throw .invalidEncoding }
        return Array(bytes.dropFirst())
    }

    /// Reads an INTEGER that is not negative and returns it in `count` bytes.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` also if it needs more.
    @_lifetime(self: copy self)
    mutating func unsignedInteger(count: Int) throws(GOSTError) -> [UInt8] {
        let bytes = try unsignedInteger()
        guard bytes.count <= count else { throw .invalidEncoding }
        return [UInt8](repeating: 0, count: count - bytes.count) + bytes
    }
}
