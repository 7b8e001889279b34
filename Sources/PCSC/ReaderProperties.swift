// SPDX-License-Identifier: Apache-2.0

package import APDU
import CPCSC
package import Secrets

/// The properties of a reader (PC/SC part 10, 2.2 and 2.6).
package struct ReaderProperties {
    /// The request for the list of features, `CM_IOCTL_GET_FEATURE_REQUEST`.
    static let featureRequest: UInt = 0x4200_0000 + 3400
    private static let tlvProperties: UInt8 = 0x12
    private static let maximumDataSize: UInt8 = 0x0A

    /// Attributes of `SCardGetAttrib` (PC/SC part 3, 3.1.4), and their values for a contactless card.
    private static let contactsAreActive: UInt = 0x0009_0301
    private static let cardType: UInt = 0x0009_0304
    private static let characteristics: UInt = 0x0006_0150
    /// ISO/IEC 14443 of type A and B, ISO/IEC 15693.
    private static let contactlessTypes: ClosedRange<UInt8> = 5...7
    private static let contactlessReader: UInt8 = 0x08

    /// The greatest number of bytes of data in one APDU that reader and driver take; 256 at most if they take short
    /// ones only. Nil if it is unknown.
    package private(set) var maximumAPDUData: Int?

    /// The control code by which the properties are asked for; nil if the reader has none.
    ///
    /// - Parameter features: The answer to ``featureRequest``: tag, length 4 and a control code, big-endian, for each.
    package static func controlCode(in features: [UInt8]) -> UInt? {
        var cursor = ByteCursor(features)
        while let tag = try? cursor.byte(), (try? cursor.byte()) == 4, let code = try? cursor.uint32() {
            if tag == tlvProperties { return UInt(code) }
        }
        return nil
    }

    /// Whether a reader, with a card that answers, says that the card's contacts are not active, that the card is of a
    /// contactless type, or that it is itself a contactless reader.
    ///
    /// - Parameter attribute: The value of an attribute, empty if the reader has none.
    package static func areContactless(_ attribute: (UInt) -> [UInt8]) -> Bool {
        let contacts = attribute(contactsAreActive)
        if contacts.count == 1, contacts[0] == 0 { return true }
        let type = attribute(cardType)
        if type.count == 1, contactlessTypes.contains(type[0]) { return true }
        let flags = attribute(characteristics)
        return flags.count == 4 && flags[0] & contactlessReader != 0
    }

    /// Reads the properties: tag, length and a little-endian number for each.
    package init(parsing bytes: [UInt8]) {
        var cursor = ByteCursor(bytes)
        while let tag = try? cursor.byte(), let count = try? cursor.byte() {
            var number = 0
            for index in 0..<Int(count) {
                guard let byte = try? cursor.byte() else { return }
                if index < 4 { number |= Int(byte) << (8 * index) }
            }
            if tag == Self.maximumDataSize { maximumAPDUData = number }
        }
    }
}

/// Commands over T=0 (ISO/IEC 7816-3, 12.2). A command carries data or expects some, never both, and P3 says how many.
/// The answer to a command with data waits for GET RESPONSE, behind 61xx, and so do long answers.
package enum ByteProtocol {
    /// Sends a command.
    ///
    /// - Parameter exchange: Takes a TPDU to the card.
    package static func transmit(
        _ command: borrowing Command, _ exchange: (borrowing Secret) throws(LinkError) -> Response
    ) throws(LinkError) -> Response {
        let response = try exchange(tpdu(of: command, ne: command.ne))
        // 6Cxx: fewer bytes than expected. The same command with their number gets them, and is not executed again.
        guard response.status.sw1 == 0x6C, command.data.isEmpty, command.ne != nil else { return response }
        return try afterPart { () throws(LinkError) in
            try exchange(tpdu(of: command, ne: Int(response.status.sw2)))
        }
    }

    /// The response in what the reader gave.
    ///
    /// - Throws: `transmission` without a byte: so some readers report a card that leaves in the middle of a command.
    package static func response(in reply: ArraySlice<UInt8>) throws(LinkError) -> Response {
        guard !reply.isEmpty else { throw LinkError(SCARD_F_COMM_ERROR) }
        guard let response = Response(parsing: reply) else { throw .malformed }
        return response
    }

    private static func tpdu(of command: borrowing Command, ne: Int?) throws(LinkError) -> Secret {
        let hasData = !command.data.isEmpty
        let tpdu = Command(
            command.cla, command.ins, command.p1, command.p2, data: command.data.copy(), ne: hasData ? nil : ne ?? 256)
        do { return try tpdu.encoded() } catch { throw .malformed }
    }
}
