// SPDX-License-Identifier: Apache-2.0

import Token
import Tokens

/// The facts that are known of a token without a PIN, as of the last look at it.
public struct TokenInformation: Sendable, Equatable {
    /// The PC/SC name of its reader.
    public let reader: String
    /// The serial number, eight bytes, big-endian; empty if the token does not report it before it is activated.
    public let serialNumber: [UInt8]
    /// The vendor's name of the model.
    public let model: String
    /// The name that its owner chose; nil without one.
    public let label: String?
    /// Whether it can be worked with. If not, ``Token/activate(password:prompt:)`` comes first.
    public let isActivated: Bool
    /// Whether it has a secure channel.
    public let hasSecureChannel: Bool
    /// Whether it is reached over the air, by its reader and its answer to reset.
    public let isWireless: Bool
    /// The number of tries that the PIN has left; nil if the token does not report it yet.
    public let pinTriesLeft: Int?
    /// Whether its keys want the user's login: ``Token`` without one is a key container in a folder without a password.
    public let needsLogin: Bool
    /// Whether it is a key container of CryptoPro CSP in a folder, which is read and never changed.
    public let isFolder: Bool
    /// The user's PIN; nil if the token does not report it yet, and after an interrupted formatting.
    public let userPIN: PINDetails?
    /// The security officer's PIN; nil likewise.
    public let officerPIN: PINDetails?
    /// Whether PINs can be typed at its reader.
    package let hasPINPad: Bool
    /// The fields that PKCS #11 programs see.
    let fields: TokenFields

    init(_ state: TokenReport, reader: String) {
        self.reader = reader
        serialNumber = state.info.serial
        model = state.model.name
        label = state.info.label.map { String(decoding: $0, as: UTF8.self) }
        isActivated = state.isActivated
        hasSecureChannel = state.protection.isAvailable
        isWireless = state.isWireless
        pinTriesLeft = state.isActivated && !state.info.isFolder ? state.info.user.triesLeft : nil
        needsLogin = state.info.needsLogin
        isFolder = state.info.isFolder
        let hasPINs = state.isActivated && !state.info.isFolder && state.info.isFormatted == true
        userPIN = hasPINs ? PINDetails(state.info.user) : nil
        officerPIN = hasPINs ? PINDetails(state.info.securityOfficer) : nil
        hasPINPad = state.hasPINPad && state.info.needsLogin
        fields = TokenFields(state.info, state.model)
    }

    /// Whether both are of one token. An unidentified token counts as different in a different reader.
    func isSameToken(as other: TokenInformation) -> Bool {
        serialNumber == other.serialNumber && (!serialNumber.isEmpty || reader == other.reader)
    }
}
