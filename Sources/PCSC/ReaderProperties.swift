// SPDX-License-Identifier: Apache-2.0

import APDU
import CPCSC
import Secrets

/// The properties of a reader (PC/SC part 10, 2.2 and 2.6).
package struct ReaderProperties {
    /// The request for the list of features, `CM_IOCTL_GET_FEATURE_REQUEST`.
    static let featureRequest: UInt = 0x4200_0000 + 3400

    /// The features that are used.
    package enum Feature: UInt8 {
        case verifyPIN = 0x06
        case modifyPIN = 0x07
        case properties = 0x12
    }

    private static let displayLayout: UInt8 = 0x01
    private static let minimumPIN: UInt8 = 0x06
    private static let maximumPIN: UInt8 = 0x07
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
    /// The lengths of PINs that can be typed at it; nil if they are unknown.
    package private(set) var shortestPIN: Int?
    package private(set) var longestPIN: Int?
    /// Whether it has a display.
    package private(set) var hasDisplay = false

    /// The control code of a feature; nil if the reader does not have it.
    ///
    /// - Parameter features: The answer to ``featureRequest``: tag, length 4 and a control code, big-endian, for each.
    package static func controlCode(of feature: Feature, in features: [UInt8]) -> UInt? {
        var cursor = ByteCursor(features)
        while let tag = try? cursor.byte(), (try? cursor.byte()) == 4, let code = try? cursor.uint32() {
            if tag == feature.rawValue { return UInt(code) }
        }
        return nil
    }

    /// Whether a reader, with a card that answers, reports that the card's contacts are not active, that the card is of a
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
            switch tag {
            case Self.maximumDataSize: maximumAPDUData = number
            case Self.minimumPIN: shortestPIN = number
            // 0 stands for no limit of the reader's own.
            case Self.maximumPIN: longestPIN = number > 0 ? number : nil
            case Self.displayLayout: hasDisplay = number > 0
            default: break
            }
        }
    }
}
