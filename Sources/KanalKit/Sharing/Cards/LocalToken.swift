// SPDX-License-Identifier: Apache-2.0
package import APDU

/// A token in a reader of this machine that the share holds exclusively, and the token's information.
package struct LocalToken {
    let card: any OwnedCard
    let reader: String
    /// Eight bytes, big-endian.
    package let serial: [UInt8]
    /// At most 32 bytes of UTF-8; empty if missing or hidden.
    package let label: [UInt8]
    package let way: Share.Way

    private static let protocolName = [UInt8]("GSC/1".utf8)

    /// - Throws: ``ShareError/notUsable(reader:)`` if the token has neither a channel nor a serial number.
    package init(_ card: any OwnedCard, reader: String) throws(ShareError) {
        self.card = card
        self.reader = reader
        if let serial = Self.serialOfChannel(card) {
            self.serial = serial
            label = []
            way = .through
        } else if let serial = Self.plainSerial(card) {
            self.serial = serial
            label = Self.plainLabel(card)
            way = .terminate
        } else {
            throw .notUsable(reader: reader)
        }
    }

    /// ID_T of a token that has a channel (GSC/1, 4).
    private static func serialOfChannel(_ card: any OwnedCard) -> [UInt8]? {
        guard let response = try? card.transmit(Command(0x80, 0xCA, 0x47, 0x00, ne: 256)),
            response.status == .success
        else { return nil }
        var cursor = ByteCursor(response.data)
        guard let fixed = try? cursor.object(0xE1) else { return nil }
        var body = ByteCursor(fixed)
        guard let name = try? body.object(0x80), name == protocolName else { return nil }
        return try? body.object(0x81, length: 8)
    }

    private static func plainSerial(_ card: any OwnedCard) -> [UInt8]? {
        guard let response = try? card.transmit(Command(0x00, 0xCA, 0x01, 0x81, ne: 256)),
            response.status == .success
        else { return nil }
        switch response.data.count {
        case 4: return [0, 0, 0, 0] + response.data
        case 8: return response.data
        default: return nil
        }
    }

    /// The content of the label file (Card, 7): "TN", the version, the length in two bytes, little-endian, and the
    /// label.
    private static func plainLabel(_ card: any OwnedCard) -> [UInt8] {
        let path = Command(0x00, 0xA4, 0x08, 0x04, bytes: [0x10, 0x00, 0x10, 0x00, 0x10, 0x00], ne: 256)
        guard let selected = try? card.transmit(path), selected.status == .success,
            let response = try? card.transmit(Command(0x00, 0xB0, 0, 0, ne: 256)),
            response.data.count >= 8, response.data.starts(with: [0x54, 0x4E])
        else { return [] }
        let length = Int(response.data[6]) | Int(response.data[7]) << 8
        return Array(response.data.dropFirst(8).prefix(min(length, 32)))
    }

    /// The serial number as it is printed on the token: eight hexadecimal digits.
    var shownSerial: String { serial.shownSerial }

    /// Whether it is the token that a user names: by its serial number in hexadecimal digits, without leading zeros or
    /// with them, or in decimal ones, by its label, or by a part of its reader's name.
    package func isCalled(_ name: String) -> Bool {
        if reader.contains(name) { return true }
        if !label.isEmpty, Array(name.utf8) == label { return true }
        let number = serial.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return UInt64(name, radix: 16) == number || UInt64(name) == number
    }
}
