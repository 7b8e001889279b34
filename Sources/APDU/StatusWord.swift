/// SW1 SW2 of a response APDU (ISO/IEC 7816-4, 5.6). Any value can come from a card, so this is a number with names.
public struct StatusWord: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }
    public init(_ sw1: UInt8, _ sw2: UInt8) { rawValue = UInt16(sw1) << 8 | UInt16(sw2) }

    public var sw1: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) }
    public var sw2: UInt8 { UInt8(truncatingIfNeeded: rawValue) }

    public static let success = StatusWord(0x9000)
    public static let endOfFileReached = StatusWord(0x6282)
    public static let verificationFailed = StatusWord(0x6300)
    public static let wrongLength = StatusWord(0x6700)
    public static let channelNotSupported = StatusWord(0x6881)
    public static let secureMessagingNotSupported = StatusWord(0x6882)
    public static let chainingNotSupported = StatusWord(0x6884)
    public static let securityStatusNotSatisfied = StatusWord(0x6982)
    public static let authenticationBlocked = StatusWord(0x6983)
    public static let referenceDataNotUsable = StatusWord(0x6984)
    public static let conditionsNotSatisfied = StatusWord(0x6985)
    public static let secureMessagingMissing = StatusWord(0x6987)
    public static let secureMessagingIncorrect = StatusWord(0x6988)
    /// A signature or decryption was asked for while the token is being formatted (vendor).
    public static let initialisationPhase = StatusWord(0x6989)
    public static let incorrectData = StatusWord(0x6A80)
    public static let functionNotSupported = StatusWord(0x6A81)
    public static let fileNotFound = StatusWord(0x6A82)
    public static let notEnoughMemory = StatusWord(0x6A84)
    public static let incorrectParameters = StatusWord(0x6A86)
    public static let referencedDataNotFound = StatusWord(0x6A88)
    public static let fileAlreadyExists = StatusWord(0x6A89)
    public static let wrongOffset = StatusWord(0x6B00)
    public static let instructionNotSupported = StatusWord(0x6D00)
    public static let classNotSupported = StatusWord(0x6E00)
    /// VERIFY met a right that is held already (vendor).
    public static let alreadyVerified = StatusWord(0x6F86)

    /// `x` of 63Cx, the number of tries left.
    public var triesLeft: Int? { rawValue & 0xFFF0 == 0x63C0 ? Int(rawValue & 0xF) : nil }

    /// The number of bytes that wait for GET RESPONSE (61xx; 6100 means 256 or more).
    public var bytesAvailable: Int? { sw1 == 0x61 ? (sw2 == 0 ? 256 : Int(sw2)) : nil }
}

extension StatusWord: CustomStringConvertible {
    /// Four hexadecimal digits, as the standards print it.
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
