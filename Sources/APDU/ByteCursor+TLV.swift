// SPDX-License-Identifier: Apache-2.0
import Secrets

/// Simple data objects: a tag of one byte, a DER length of one to three bytes, a value (ISO/IEC 7816-4, 5.2.2).
extension ByteCursor {
    /// The next object, whatever its tag.
    package mutating func object() throws(MalformedBytes) -> (tag: UInt8, value: [UInt8]) {
        let tag = try byte()
        let length = try derLength()
        return (tag, try bytes(length))
    }

    /// The value of the next object, which must have `tag`.
    package mutating func object(_ tag: UInt8) throws(MalformedBytes) -> [UInt8] {
        guard try byte() == tag else { throw MalformedBytes() }
        return try bytes(derLength())
    }

    /// The value of the next object, which must have `tag` and `length` bytes.
    package mutating func object(_ tag: UInt8, length: Int) throws(MalformedBytes) -> [UInt8] {
        let value = try object(tag)
        guard value.count == length else { throw MalformedBytes() }
        return value
    }

    /// The tag of the next object, which stays unread; nil at the end.
    package var nextTag: UInt8? {
        var copy = self
        return try? copy.byte()
    }

    /// A length in its shortest form: below 128 in one byte, else 81 xx or 82 xxxx.
    private mutating func derLength() throws(MalformedBytes) -> Int {
        let first = Int(try byte())
        switch first {
        case 0..<0x80:
            return first
        case 0x81:
            let length = Int(try byte())
            guard length >= 0x80 else { throw MalformedBytes() }
            return length
        case 0x82:
            let length = try uint16()
            guard length > 0xFF else { throw MalformedBytes() }
            return length
        default:
            throw MalformedBytes()
        }
    }
}

extension [UInt8] {
    /// Appends an object with this tag and value. Values beyond 65 535 bytes do not fit and are truncated.
    package mutating func appendObject(_ tag: UInt8, _ value: [UInt8]) {
        let value = value.prefix(65_535)
        append(tag)
        appendDERLength(value.count)
        append(contentsOf: value)
    }

    /// One object: tag, length, value.
    package static func object(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendObject(tag, value)
        return bytes
    }
}
