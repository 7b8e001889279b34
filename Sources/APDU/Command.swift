// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// A command APDU (ISO/IEC 7816-4, 5.1).
///
/// The data may hold a PIN, so it is a `Secret`, and a command is moved or borrowed, never copied by accident.
package struct Command: ~Copyable, Sendable {
    package var cla: UInt8
    package var ins: UInt8
    package var p1: UInt8
    package var p2: UInt8
    /// The command data; empty means that Lc is absent.
    package var data: Secret
    /// The greatest number of response bytes wanted, or nil if Le is absent. 256 is sent as Le 00.
    package var ne: Int?

    package init(
        _ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, data: consuming Secret = Secret(count: 0), ne: Int? = nil
    ) {
        self.cla = cla
        self.ins = ins
        self.p1 = p1
        self.p2 = p2
        self.data = data
        self.ne = ne
    }

    /// A command with data that is not secret.
    package init(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, bytes: [UInt8], ne: Int? = nil) {
        self.init(cla, ins, p1, p2, data: Secret(copying: bytes), ne: ne)
    }
}

/// Bytes that are not a command APDU, or a command that has no encoding.
package struct MalformedCommand: Error, Sendable, Equatable {
    package init() {}
}

extension Command {
    /// The number of bytes of the longest command with short length fields: header, Lc, 255 of data, Le.
    package static let maximumShortLength = 261

    /// Whether the command needs extended length fields (ISO/IEC 7816-4, 5.1): more than 255 data bytes, or more than
    /// 256 response bytes wanted.
    package var isExtended: Bool { data.count > 255 || (ne ?? 0) > 256 }

    /// The command as it is sent, in the shortest of the seven cases. Data beyond 65 535 bytes or a wish for more than
    /// 65 536 cannot be written and throws.
    package func encoded() throws(MalformedCommand) -> Secret {
        guard data.count <= 65_535, (0...65_536).contains(ne ?? 0) else { throw MalformedCommand() }
        var head = [cla, ins, p1, p2]
        var tail: [UInt8] = []
        if isExtended {
            head.append(0)
            if !data.isEmpty { head.appendUInt16(data.count) }
            if let ne { tail.appendUInt16(ne & 0xFFFF) }
        } else {
            if !data.isEmpty { head.append(UInt8(truncatingIfNeeded: data.count)) }
            if let ne { tail.append(UInt8(truncatingIfNeeded: ne)) }
        }
        return Secret(copying: head).appending(data.bytes).appending(tail.span)
    }

    /// Reads a command of any of the seven cases.
    package init(parsing bytes: Span<UInt8>) throws(MalformedCommand) {
        guard bytes.count >= 4 else { throw MalformedCommand() }
        let (dataRange, ne) = try Command.body(of: bytes)
        self.init(bytes[0], bytes[1], bytes[2], bytes[3], data: Secret(copying: bytes.extracting(dataRange)), ne: ne)
    }

    /// The range of the data, and the value of Le.
    private static func body(of bytes: Span<UInt8>) throws(MalformedCommand) -> (Range<Int>, Int?) {
        let count = bytes.count
        guard count > 4 else { return (4..<4, nil) }
        if count == 5 { return (5..<5, bytes[4] == 0 ? 256 : Int(bytes[4])) }
        if bytes[4] != 0 {
            let end = 5 + Int(bytes[4])
            if count == end { return (5..<end, nil) }
            guard count == end + 1 else { throw MalformedCommand() }
            return (5..<end, bytes[end] == 0 ? 256 : Int(bytes[end]))
        }
        guard count >= 7 else { throw MalformedCommand() }
        let length = Int(bytes[5]) << 8 | Int(bytes[6])
        if count == 7 { return (7..<7, length == 0 ? 65_536 : length) }
        let end = 7 + length
        guard length > 0 else { throw MalformedCommand() }
        if count == end { return (7..<end, nil) }
        guard count == end + 2 else { throw MalformedCommand() }
        let ne = Int(bytes[end]) << 8 | Int(bytes[end + 1])
        return (7..<end, ne == 0 ? 65_536 : ne)
    }
}
