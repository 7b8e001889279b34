// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension DERTag {
    /// The INTEGER that is this number, most significant byte first (X.690, 8.3).
    static func unsignedInteger(_ number: [UInt8]) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        let sign: [UInt8] = digits.first.map { $0 >= 0x80 } ?? true ? [0] : []
        return DERTag.integer.element(sign + digits)
    }
}

extension DERReader {
    /// Reads an INTEGER that is not negative and gives it in the fewest bytes, most significant first; none for zero.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` also for one that is negative or has needless bytes.
    mutating func unsignedInteger() throws(GOSTError) -> [UInt8] {
        let octets = [UInt8](copying: try contents(.integer))
        guard let first = octets.first, first < 0x80 else { throw .invalidEncoding }
        guard first == 0 else { return octets }
        guard octets.count == 1 || octets[1] >= 0x80 else { throw .invalidEncoding }
        return Array(octets.dropFirst())
    }

    /// Reads an INTEGER that is not negative and gives it in `count` bytes.
    ///
    /// - Throws: ``GOSTError/invalidEncoding`` also for one that needs more.
    @_lifetime(self: copy self)
    mutating func unsignedInteger(count: Int) throws(GOSTError) -> [UInt8] {
        let octets = try unsignedInteger()
        guard octets.count <= count else { throw .invalidEncoding }
        return [UInt8](repeating: 0, count: count - octets.count) + octets
    }
}
