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
