// SPDX-License-Identifier: Apache-2.0
import APDU

/// The body of a protected command: 87 if there are data, 97 if Le is there, 8E (GSC/1, 13.1).
struct ProtectedBody {
    /// Tag, length and padding indicator of object 87.
    let cryptogramHead: [UInt8]
    let ciphertext: [UInt8]
    let isPadded: Bool
    /// Object 97 as it came.
    let expectedLength: [UInt8]
    let ne: Int?
    let tag: [UInt8]

    init(parsing bytes: [UInt8]) throws(MessageProtection.Failure) {
        guard ProtectedBody.hasTag(bytes) else { throw .missing }
        do {
            try self.init(ByteCursor(bytes))
        } catch {
            throw .incorrect
        }
    }

    private init(_ cursor: ByteCursor) throws(MalformedBytes) {
        var cursor = cursor
        var head: [UInt8] = []
        var cryptogram: ArraySlice<UInt8> = []
        if cursor.nextTag == 0x87 {
            let value = try cursor.object(0x87)
            guard value.count >= 2, value[0] == 0x01 || value[0] == 0x02 else { throw MalformedBytes() }
            head.append(0x87)
            head.appendDERLength(value.count)
            head.append(value[0])
            cryptogram = value.dropFirst()
        }
        var length: [UInt8] = []
        if cursor.nextTag == 0x97 {
            length = try cursor.object(0x97)
            guard length.count == 1 || length.count == 2 else { throw MalformedBytes() }
        }
        tag = try cursor.object(0x8E, length: 8)
        try cursor.finish()

        cryptogramHead = head
        ciphertext = Array(cryptogram)
        isPadded = head.last == 0x01
        expectedLength = length.isEmpty ? [] : .object(0x97, length)
        let value = length.reduce(0) { $0 << 8 | Int($1) }
        ne = length.isEmpty ? nil : value == 0 ? 1 << (8 * length.count) : value
    }

    /// Whether there is an object 8E, or the objects are malformed.
    private static func hasTag(_ bytes: [UInt8]) -> Bool {
        var cursor = ByteCursor(bytes)
        while !cursor.isAtEnd {
            guard let object = try? cursor.object() else { return true }
            if object.tag == 0x8E { return true }
        }
        return false
    }
}
