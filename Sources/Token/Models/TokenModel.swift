// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// A token's family, as its answer to reset shows it.
package enum TokenModel: Sendable, Equatable {
    /// Rutoken ECP in any generation, on USB or as a card.
    case ecp
    /// Rutoken ECP with a Bluetooth radio.
    case ecpBluetooth
    /// Rutoken Lite, which keeps files and computes nothing.
    case lite
    /// Rutoken PINPad, which has a screen.
    case pinPad
    /// Rutoken 2151, on the chip of another maker.
    case mikron
    /// A folder with a key container of CryptoPro CSP, which is read and never written.
    case folder

    /// - Parameter atr: The answer to reset.
    /// - Returns: nil for a card that is not driven by this library.
    package init?(atr: [UInt8]) {
        if atr == ReaderState.folder {
            self = .folder
            return
        }
        // The historical bytes name the family; the interface bytes before them vary with the reader.
        let text = String(decoding: atr.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
        guard let model = Self.names.first(where: { text.mentions($0.name) })?.model else { return nil }
        self = model
    }

    /// The vendor's library's name of the model; this project's, of a folder.
    package var name: String {
        switch self {
        case .ecp, .ecpBluetooth, .mikron: "Rutoken ECP"
        case .lite: "Rutoken lite"
        case .pinPad: "Rutoken PINPad 2"
        case .folder: "CryptoPro folder"
        }
    }

    /// The texts of answers to reset, and the family that each means.
    package static let names: [(name: String, model: TokenModel)] = [
        ("RutokenDSBT", .ecpBluetooth), ("Rutoken ECP", .ecp), ("Rutoken DS ", .ecp), ("RutokenECPsc", .ecp),
        ("RtSC", .ecp), ("Rutokenlite", .lite), ("RutokenLiteSC", .lite), ("RtPINPad", .pinPad), ("RtMC", .mikron),
        ("rutokenm", .mikron),
    ]
}
