// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a length in the shortest form of X.690, 8.1.3, which elements of DER and data objects of cards
    /// (ISO/IEC 7816-4, 5.2.2) have.
    package mutating func appendDERLength(_ length: Int) {
        guard length >= 0x80 else { return append(UInt8(truncatingIfNeeded: length)) }
        let count = (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
        append(0x80 | UInt8(truncatingIfNeeded: count))
        for place in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: length >> (8 * place))) }
    }
}
