// SPDX-License-Identifier: Apache-2.0

/// The code page 1251 of Windows, which CryptoPro CSP writes names in.
enum Windows1251 {
    /// The characters 80 to BF; 98 is undefined. From C0 on they are the letters from U+0410 on, in their order.
    private static let upper: [UInt16] = [
        0x0402, 0x0403, 0x201A, 0x0453, 0x201E, 0x2026, 0x2020, 0x2021,
        0x20AC, 0x2030, 0x0409, 0x2039, 0x040A, 0x040C, 0x040B, 0x040F,
        0x0452, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0xFFFD, 0x2122, 0x0459, 0x203A, 0x045A, 0x045C, 0x045B, 0x045F,
        0x00A0, 0x040E, 0x045E, 0x0408, 0x00A4, 0x0490, 0x00A6, 0x00A7,
        0x0401, 0x00A9, 0x0404, 0x00AB, 0x00AC, 0x00AD, 0x00AE, 0x0407,
        0x00B0, 0x00B1, 0x0406, 0x0456, 0x0491, 0x00B5, 0x00B6, 0x00B7,
        0x0451, 0x2116, 0x0454, 0x00BB, 0x0458, 0x0405, 0x0455, 0x0457,
    ]

    /// The character of a byte; U+FFFD for 98.
    static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        if byte < 0x80 { return Unicode.Scalar(byte) }
        let value = byte < 0xC0 ? UInt32(upper[Int(byte) - 0x80]) : 0x350 + UInt32(byte)
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    /// The byte of a character; nil if the code page does not have it.
    static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar.value {
        case 0..<0x80: return UInt8(truncatingIfNeeded: scalar.value)
        case 0x410..<0x450: return UInt8(truncatingIfNeeded: scalar.value - 0x350)
        case 0xFFFD: return nil
        default: return upper.firstIndex { UInt32($0) == scalar.value }.map { UInt8(truncatingIfNeeded: 0x80 + $0) }
        }
    }
}
