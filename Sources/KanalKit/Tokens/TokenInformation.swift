// SPDX-License-Identifier: Apache-2.0
import Cryptoki
import Token

/// The facts that are known of a token without a PIN, as of the last look at it.
public struct TokenInformation: Sendable, Equatable {
    /// The PC/SC name of its reader.
    public let reader: String
    /// The serial number, eight bytes, big-endian; empty if the token does not tell it before it is activated.
    public let serialNumber: [UInt8]
    /// The vendor's name of the model.
    public let model: String
    /// The name that its owner gave it; nil without one.
    public let label: String?
    /// Whether it can be worked with. If not, ``Token/activate(password:)`` comes first.
    public let isActivated: Bool
    /// Whether it has a secure channel.
    public let hasSecureChannel: Bool
    /// Whether it is reached over the air, as its reader and its answer to reset tell.
    public let isWireless: Bool
    /// The number of tries that the PIN has left; nil if the token does not tell yet.
    public let pinTriesLeft: Int?

    init(_ state: Library.TokenState, reader: String) {
        self.reader = reader
        serialNumber = state.info.serial
        model = state.model.name
        label = state.info.label.map { String(decoding: $0, as: UTF8.self) }
        isActivated = state.isActivated
        hasSecureChannel = state.protection.isAvailable
        isWireless = state.isWireless
        pinTriesLeft = state.isActivated ? state.info.user.triesLeft : nil
    }

    /// Whether both are of one token. One that does not say which it is counts as another in another reader.
    func isSameToken(as other: TokenInformation) -> Bool {
        serialNumber == other.serialNumber && (!serialNumber.isEmpty || reader == other.reader)
    }
}
