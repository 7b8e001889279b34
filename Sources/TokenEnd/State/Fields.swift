// SPDX-License-Identifier: Apache-2.0
package import APDU
import Secrets

/// Variable fields of the stored state: a length in four bytes, big-endian, and the bytes.
extension [UInt8] {
    package mutating func appendField(_ field: [UInt8]) {
        appendUInt32(UInt32(truncatingIfNeeded: field.count))
        append(contentsOf: field)
    }

    /// An optional secret: 00, or 01 and the field.
    package mutating func appendSealed(_ sealed: Sealed?) {
        append(sealed == nil ? 0 : 1)
        guard let sealed else { return }
        var bytes = [UInt8](copying: sealed.secret)
        defer { bytes.wipe() }
        appendField(bytes)
    }
}

extension ByteCursor {
    package mutating func field() throws(MalformedBytes) -> [UInt8] {
        let count = try uint32()
        return try bytes(Int(count))
    }

    package mutating func sealed() throws(MalformedBytes) -> Sealed? {
        guard try byte() != 0 else { return nil }
        var bytes = try field()
        defer { bytes.wipe() }
        return Sealed(copying: bytes)
    }
}

extension [UInt8] {
    /// Simple data objects one after the other.
    package static func objects(_ objects: KeyValuePairs<UInt8, [UInt8]>) -> [UInt8] {
        objects.reduce(into: []) { $0.appendObject($1.key, $1.value) }
    }
}
