// SPDX-License-Identifier: Apache-2.0

import Secrets

/// SW1 SW2 of a response APDU (ISO/IEC 7816-4, 5.6). Any value can come from a card, so this is a number with names.
package struct StatusWord: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package init(_ rawValue: UInt16) { self.rawValue = rawValue }
    package init(_ sw1: UInt8, _ sw2: UInt8) { rawValue = UInt16(sw1) << 8 | UInt16(sw2) }

    package var sw1: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) }
    package var sw2: UInt8 { UInt8(truncatingIfNeeded: rawValue) }

    package static let success = StatusWord(0x9000)
    package static let endOfFileReached = StatusWord(0x6282)
    package static let verificationFailed = StatusWord(0x6300)
    package static let wrongLength = StatusWord(0x6700)
    package static let channelNotSupported = StatusWord(0x6881)
    package static let secureMessagingNotSupported = StatusWord(0x6882)
    package static let chainingNotSupported = StatusWord(0x6884)
    package static let securityStatusNotSatisfied = StatusWord(0x6982)
    package static let authenticationBlocked = StatusWord(0x6983)
    package static let referenceDataNotUsable = StatusWord(0x6984)
    package static let conditionsNotSatisfied = StatusWord(0x6985)
    package static let secureMessagingMissing = StatusWord(0x6987)
    package static let secureMessagingIncorrect = StatusWord(0x6988)
    /// A signature or decryption was asked for while the token is being formatted (vendor).
    package static let initialisationPhase = StatusWord(0x6989)
    package static let incorrectData = StatusWord(0x6A80)
    package static let functionNotSupported = StatusWord(0x6A81)
    package static let fileNotFound = StatusWord(0x6A82)
    package static let notEnoughMemory = StatusWord(0x6A84)
    package static let incorrectParameters = StatusWord(0x6A86)
    package static let referencedDataNotFound = StatusWord(0x6A88)
    package static let fileAlreadyExists = StatusWord(0x6A89)
    package static let wrongOffset = StatusWord(0x6B00)
    package static let instructionNotSupported = StatusWord(0x6D00)
    package static let classNotSupported = StatusWord(0x6E00)
    /// VERIFY met a right that is held already (vendor).
    package static let alreadyVerified = StatusWord(0x6F86)

    /// `x` of 63Cx, the number of tries left.
    package var triesLeft: Int? { rawValue & 0xFFF0 == 0x63C0 ? Int(rawValue & 0xF) : nil }

    /// The number of bytes that wait for GET RESPONSE (61xx; 6100 means 256 or more).
    package var bytesAvailable: Int? { sw1 == 0x61 ? (sw2 == 0 ? 256 : Int(sw2)) : nil }
}

extension StatusWord: CustomStringConvertible {
    /// Four hexadecimal digits, as the standards print it.
    package var description: String { rawValue.hexadecimal(digits: 4).uppercased() }
}
