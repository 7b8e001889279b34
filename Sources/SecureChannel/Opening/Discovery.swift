// SPDX-License-Identifier: Apache-2.0

package import APDU

/// Whether a token has GSC (GSC/1, 4).
package enum Discovery: Sendable, Equatable {
    /// The token does not know GSC/1.
    case absent
    case present(Capabilities, TokenHints)

    /// Asks the token, in plain: GET CAPABILITIES.
    ///
    /// - Throws: ``ChannelError/malformedCapabilities`` if there is an answer that cannot be used: the token must then
    ///   not be driven in plain either.
    package static func run(over link: any CardConnection) throws(ChannelError) -> Discovery {
        let response = try linking { () throws(LinkError) in
            try link.exchange(Command(0x80, 0xCA, 0x47, 0x00, ne: 256))
        }
        switch response.status {
        case .success: break
        case .instructionNotSupported, .classNotSupported, .referencedDataNotFound, .functionNotSupported:
            return .absent
        default: throw .refused(response.status)
        }
        do throws(ChannelError) {
            return try Discovery(parsing: response.data)
        } catch .protocolUnknown {
            return .absent
        }
    }

    /// Reads E1 ‖ E2.
    private init(parsing bytes: [UInt8]) throws(ChannelError) {
        var cursor = ByteCursor(bytes)
        let value = try parsing(otherwise: .malformedCapabilities) { () throws(MalformedBytes) in
            try cursor.object(0xE1)
        }
        let capabilities = try Capabilities(parsing: .object(0xE1, value))
        let hints = try parsing(otherwise: .malformedCapabilities) { () throws(MalformedBytes) in
            let hints = try TokenHints(from: &cursor, slots: capabilities.slots)
            try cursor.finish()
            return hints
        }
        self = .present(capabilities, hints)
    }
}

extension ByteCursor {
    /// The value of the next object, which must have `tag` and hold one byte in `range`.
    mutating func number(_ tag: UInt8, in range: ClosedRange<UInt8>) throws(MalformedBytes) -> UInt8 {
        var value = ByteCursor(try object(tag, length: 1))
        let number = try value.byte()
        guard range.contains(number) else { throw MalformedBytes() }
        return number
    }

    /// The value of the next object, which must have `tag` and hold a number of at least 128 in two bytes.
    mutating func size(_ tag: UInt8) throws(MalformedBytes) -> Int {
        var value = ByteCursor(try object(tag, length: 2))
        let number = try value.uint16()
        guard number >= 128 else { throw MalformedBytes() }
        return number
    }
}
