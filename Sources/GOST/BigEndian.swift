// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// `number` in `count` bytes, or in as few as hold it, most significant byte first.
    init(bigEndian number: Int, count: Int? = nil) {
        let count = count ?? (Int.bitWidth - number.leadingZeroBitCount + 7) / 8
        self = (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// `number` in as many bytes as its type has, most significant byte first.
    init(bigEndian number: some FixedWidthInteger & UnsignedInteger) {
        self.init(bigEndian: Int(truncatingIfNeeded: number), count: number.bitWidth / 8)
    }
}
