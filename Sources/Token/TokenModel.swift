/// A token's family, as its answer to reset tells it.
public enum TokenModel: Sendable, Equatable {
    /// Rutoken ECP in any generation, on USB or as a card.
    case ecp
    /// Rutoken ECP with a Bluetooth radio.
    case ecpBluetooth

    /// - Parameter atr: The answer to reset.
    /// - Returns: nil for a card that is not driven by this library.
    public init?(atr: [UInt8]) {
        // The historical bytes name the family; the interface bytes before them vary with the reader.
        let name = String(decoding: atr.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
        if name.contains("RutokenDSBT") {
            self = .ecpBluetooth
        } else if ["Rutoken ECP", "Rutoken DS ", "RutokenECPsc", "RtSC"].contains(where: name.contains) {
            self = .ecp
        } else {
            return nil
        }
    }
}
