/// Bytes from outside ended too early, or are not what their format prescribes.
public struct MalformedBytes: Error, Sendable, Equatable {
    public init() {}
}

/// Reads bytes that came from outside, front to back. Every step checks that the bytes are there.
public struct ByteCursor: Sendable {
    private var remaining: ArraySlice<UInt8>

    public init(_ bytes: [UInt8]) { remaining = bytes[...] }
    public init(_ bytes: ArraySlice<UInt8>) { remaining = bytes }

    /// Whether everything has been read.
    public var isAtEnd: Bool { remaining.isEmpty }

    /// The number of bytes not yet read.
    public var count: Int { remaining.count }

    /// Throws unless everything has been read.
    public func finish() throws(MalformedBytes) {
        guard isAtEnd else { throw MalformedBytes() }
    }

    /// The next byte.
    public mutating func byte() throws(MalformedBytes) -> UInt8 {
        guard let byte = remaining.popFirst() else { throw MalformedBytes() }
        return byte
    }

    /// The next `count` bytes.
    public mutating func bytes(_ count: Int) throws(MalformedBytes) -> [UInt8] {
        guard count >= 0, count <= remaining.count else { throw MalformedBytes() }
        defer { remaining = remaining.dropFirst(count) }
        return Array(remaining.prefix(count))
    }

    /// All bytes that are left.
    public mutating func rest() -> [UInt8] {
        defer { remaining = [] }
        return Array(remaining)
    }

    /// A big-endian number of two bytes.
    public mutating func uint16() throws(MalformedBytes) -> Int {
        let high = try byte()
        return try Int(high) << 8 | Int(byte())
    }

    /// A little-endian number of two bytes.
    public mutating func littleEndianUInt16() throws(MalformedBytes) -> Int {
        let low = try byte()
        return try Int(byte()) << 8 | Int(low)
    }

    /// A big-endian number of four bytes.
    public mutating func uint32() throws(MalformedBytes) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 { value = try value << 8 | UInt32(byte()) }
        return value
    }
}

extension [UInt8] {
    /// Appends the low 16 bits of `value`, big-endian.
    public mutating func appendUInt16(_ value: Int) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends the low 16 bits of `value`, little-endian.
    public mutating func appendLittleEndianUInt16(_ value: Int) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    /// Appends `value`, big-endian.
    public mutating func appendUInt32(_ value: UInt32) {
        appendUInt16(Int(value >> 16))
        appendUInt16(Int(value & 0xFFFF))
    }
}
