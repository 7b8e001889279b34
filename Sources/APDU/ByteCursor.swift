// SPDX-License-Identifier: Apache-2.0

/// Reads bytes that came from outside, front to back. Every step checks that the bytes are there.
package struct ByteCursor: Sendable {
    private var remaining: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { remaining = bytes[...] }
    package init(_ bytes: ArraySlice<UInt8>) { remaining = bytes }

    /// Whether everything has been read.
    package var isAtEnd: Bool { remaining.isEmpty }

    /// The number of bytes not yet read.
    package var count: Int { remaining.count }

    /// Throws unless everything has been read.
    package func finish() throws(MalformedBytes) {
        guard isAtEnd else { throw MalformedBytes() }
    }

    /// The next byte.
    package mutating func byte() throws(MalformedBytes) -> UInt8 {
        guard let byte = remaining.popFirst() else { throw MalformedBytes() }
        return byte
    }

    /// The next `count` bytes.
    package mutating func bytes(_ count: Int) throws(MalformedBytes) -> [UInt8] {
        guard count >= 0, count <= remaining.count else { throw MalformedBytes() }
        defer { remaining = remaining.dropFirst(count) }
        return Array(remaining.prefix(count))
    }

    /// All bytes that are left.
    package mutating func rest() -> [UInt8] {
        defer { remaining = [] }
        return Array(remaining)
    }

    /// A big-endian number of two bytes.
    package mutating func uint16() throws(MalformedBytes) -> Int {
        let high = try byte()
        return try Int(high) << 8 | Int(byte())
    }

    /// A little-endian number of two bytes.
    package mutating func littleEndianUInt16() throws(MalformedBytes) -> Int {
        let low = try byte()
        return try Int(byte()) << 8 | Int(low)
    }

    /// A big-endian number of four bytes.
    package mutating func uint32() throws(MalformedBytes) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 { value = try value << 8 | UInt32(byte()) }
        return value
    }
}

extension [UInt8] {
    /// Appends the low 16 bits of `value`, big-endian.
    package mutating func appendUInt16(_ value: Int) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends the low 16 bits of `value`, little-endian.
    package mutating func appendLittleEndianUInt16(_ value: Int) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    /// Appends `value`, big-endian.
    package mutating func appendUInt32(_ value: UInt32) {
        appendUInt16(Int(value >> 16))
        appendUInt16(Int(value & 0xFFFF))
    }
}
