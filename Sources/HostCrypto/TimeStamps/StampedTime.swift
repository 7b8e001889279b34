// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The time of a stamp, and its accuracy (RFC 3161, 2.4.2).
package struct StampedTime: Sendable, Equatable {
    /// In seconds since 1970.
    package let seconds: Int
    /// The fraction of a second, in nanoseconds.
    package let nanoseconds: Int
    /// By how many microseconds the time may be wrong, at most; nil if the authority does not say.
    package fileprivate(set) var accuracy: Int?

    /// The last second, since 1970, at which the stamp may have been made.
    package var latest: Int {
        let fraction = nanoseconds / 1000 + (accuracy ?? 0)
        return seconds + (fraction + 999_999) / 1_000_000
    }

    /// - Parameter text: The contents of a GeneralizedTime, with a fraction or without.
    init?(_ text: [UInt8]) {
        guard text.count >= 15, text.last == UInt8(ascii: "Z") else { return nil }
        let fraction = text[14..<(text.count - 1)]
        let whole = String(decoding: text[..<14], as: UTF8.self) + "Z"
        guard let seconds = CalendarTime.seconds(of: whole) else { return nil }
        self.seconds = seconds
        guard !fraction.isEmpty else {
            nanoseconds = 0
            return
        }
        let digits = fraction.dropFirst().map { Int($0) - Int(UInt8(ascii: "0")) }
        guard fraction.first == UInt8(ascii: "."), !digits.isEmpty, digits.allSatisfy((0...9).contains) else {
            return nil
        }
        nanoseconds = (digits + [Int](repeating: 0, count: 9)).prefix(9).reduce(0) { $0 * 10 + $1 }
    }
}

extension DERReader {
    /// Reads a genTime, and the accuracy that may follow.
    mutating func stampedTime() throws(GOSTError) -> StampedTime {
        guard var time = StampedTime([UInt8](copying: try contents(.generalizedTime))) else { throw .invalidEncoding }
        guard isAt(.sequence) else { return time }
        var fields = DERReader(try contents(.sequence))
        var accuracy = 0
        for (tag, unit) in [(DERTag.integer, 1_000_000), (.contextPrimitive0, 1000), (.contextPrimitive1, 1)]
        where fields.isAt(tag) {
            let number = [UInt8](copying: try fields.contents(tag))
            guard (1...4).contains(number.count), number[0] < 0x80 else { throw .invalidEncoding }
            accuracy += number.reduce(0) { $0 << 8 | Int($1) } * unit
        }
        try fields.end()
        time.accuracy = accuracy
        return time
    }
}
