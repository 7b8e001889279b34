/// Which token the emulator is: what it answers to reset, what it says of itself, and whether it has a secure channel.
public struct Identity: Sendable {
    /// The name that command lines and stored states use.
    public let name: String
    /// The answer to reset.
    public let atr: [UInt8]
    /// The model that the token names itself.
    package let model: String
    /// Major and minor version.
    package let hardware: (UInt8, UInt8)
    package let firmware: (UInt8, UInt8)
    /// Nil for a token without a secure channel.
    package var channel: ChannelOffer?

    /// Rutoken ECP 3.0 on USB, without a secure channel.
    public static let usb = Identity(
        name: "usb", atr: historical("Rutoken DS "), model: "Rutoken ECP 3.0 (emulated)", hardware: (67, 4),
        firmware: (34, 2), channel: nil)

    /// A Bluetooth token, which requires the secure channel whatever reader it seems to be in.
    public static let bt = Identity(
        name: "bt", atr: historical("RutokenDSBT"), model: "Rutoken ECP BT (emulated)", hardware: (67, 4),
        firmware: (34, 2), channel: ChannelOffer())

    /// All identities.
    public static let all = [usb, bt]

    /// The identity of this name.
    public init?(name: String) {
        guard let identity = Identity.all.first(where: { $0.name == name }) else { return nil }
        self = identity
    }

    private init(
        name: String, atr: [UInt8], model: String, hardware: (UInt8, UInt8), firmware: (UInt8, UInt8),
        channel: ChannelOffer?
    ) {
        self.name = name
        self.atr = atr
        self.model = model
        self.hardware = hardware
        self.firmware = firmware
        self.channel = channel
    }

    /// An answer to reset for T=1 with these eleven historical bytes and the check byte (ISO/IEC 7816-3, 8.2).
    private static func historical(_ text: String) -> [UInt8] {
        let bytes: [UInt8] = [0x3B, 0x8B, 0x01] + text.utf8
        return bytes + [bytes.dropFirst().reduce(0, ^)]
    }
}

/// What a token says of its end of the secure channel (GSC/1, 4, E1).
package struct ChannelOffer: Sendable {
    /// b0 classic, b1 modern.
    package var profiles: UInt8 = 0x01
    /// The greatest plaintext of a protected command and of a protected reply, in bytes.
    package var maximumCommand = 238
    package var maximumReply = 238
    /// b0 channel required on wireless readers, b1 on wired ones, b2 and b3 pairing forbidden there.
    package var policy: UInt8 = 0x03
    /// How many hosts can be paired.
    package var records = 16
    /// How many activation passwords there can be, 1...6.
    package var slots = 6
    /// How many sessions can be open at once, 1...4.
    package var sessions = 1
    /// The features object; nil if it is absent.
    package var features: UInt8?
    /// Whether the token is reached over the air.
    package var isWireless = true

    package init() {}

    var isRequired: Bool { policy & (isWireless ? 0x01 : 0x02) != 0 }
    var isPairingForbidden: Bool { policy & (isWireless ? 0x04 : 0x08) != 0 }
}
