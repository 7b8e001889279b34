// SPDX-License-Identifier: Apache-2.0

import Token
import Tokens

/// The answers of a token that is asked for everything it tells of itself: ``Token/details(prompt:)``.
///
/// A token whose secure channel is not open tells little more than its serial number. Facts that it has not told are
/// nil.
public struct TokenDetails: Sendable, Equatable {
    /// The facts that are known without this question, as of now.
    public let information: TokenInformation
    /// The answer to reset.
    public let answerToReset: [UInt8]
    /// The token's own name of its model; nil if its firmware does not know it. Names of generations are finer than
    /// ``TokenInformation/model``.
    public let modelName: String?
    /// The maker's name of the model by the token's versions; nil if none is known. A token may name itself otherwise.
    package let nameByVersions: String?
    /// The versions and the drive that the maker has built in.
    public let build: TokenBuild?
    /// How much it can keep.
    public let memory: TokenMemory
    /// The user's PIN. Nil also after an interrupted formatting.
    public let userPIN: PINDetails?
    /// The security officer's PIN. Nil also after an interrupted formatting.
    public let officerPIN: PINDetails?
    /// How the user's PIN is changed.
    public let userPINChange: PINChange?
    /// The secure channel.
    public let channel: ChannelDetails
    /// The key containers of CryptoPro CSP. Empty also as long as the token may not be asked.
    public let containers: [KeyContainer]
}

/// A key container of CryptoPro CSP on a token, as everybody may see it without a PIN.
public struct KeyContainer: Sendable, Equatable {
    /// The place of its files: the number of a directory in `1000/1003`, in four hexadecimal digits.
    public let place: String
    /// Its name; empty if the token does not tell it.
    public let name: String
}

/// Versions of a token.
public struct TokenBuild: Sendable, Equatable {
    /// The hardware's version, for instance 67.4.
    public let hardware: VersionNumber
    /// The firmware's version.
    public let firmware: VersionNumber
    /// The maker's number for the commands that the token takes.
    public let protocolNumber: Int
    /// The firmware's checksum; nil on a model without one.
    public let firmwareChecksum: UInt32?
    /// The size of the drive that it shows to computers, in megabytes; nil without one.
    public let driveMegabytes: Int?
}

/// A version of hardware or firmware.
public struct VersionNumber: Sendable, Equatable, CustomStringConvertible {
    /// The number before the point.
    public let major: Int
    /// The number behind the point.
    public let minor: Int

    public var description: String { "\(major).\(minor)" }
}

/// How much a token can keep, in bytes.
public struct TokenMemory: Sendable, Equatable {
    /// The whole memory. No token tells it: this is the maker's figure for all.
    public let total: Int
    /// The free part of it.
    public let free: Int?
}

/// Limits and tries of a PIN.
public struct PINDetails: Sendable, Equatable {
    /// The allowed lengths in bytes.
    public let lengths: ClosedRange<Int>
    /// The number of wrong ones in a row that locks it.
    public let tries: Int
    /// The number of tries left.
    public let triesLeft: Int
    /// Whether it still is the one that the token had when it was made or formatted.
    public let isDefault: Bool
}

/// How the user's PIN is changed.
public struct PINChange: Sendable, Equatable {
    /// The roles that may change it.
    public let allowed: Set<Role>
    /// Whether the user must change it, because the security officer has demanded that.
    public let isDemanded: Bool
}

extension TokenDetails {
    init(
        _ state: TokenReport, _ information: TokenInformation, _ channel: ChannelDetails, modelName: String?,
        driveMegabytes: Int?, containers: [KeyContainer] = []
    ) {
        let info = state.info
        self.information = information
        self.modelName = modelName
        let hasDrive = info.extendedFlags & 0x80 != 0
        nameByVersions =
            info.isFormatted == nil ? nil : KnownModel.find(state.model, info.versions, hasDrive: hasDrive)?.name
        self.channel = channel
        self.containers = containers
        answerToReset = state.atr
        memory = TokenMemory(total: info.isFolder ? 0 : TokenInfo.totalMemory, free: info.freeMemory)
        build = info.isFolder ? nil : info.isFormatted.map { _ in TokenBuild(info, driveMegabytes) }
        let hasPINs = info.isFormatted == true && !info.isFolder
        userPIN = hasPINs ? PINDetails(info.user) : nil
        officerPIN = hasPINs ? PINDetails(info.securityOfficer) : nil
        userPINChange = hasPINs ? PINChange(info) : nil
    }
}

extension KeyContainer {
    init(_ place: ContainerPlace) {
        let digits = String(place.directory, radix: 16, uppercase: true)
        self.place = String(repeating: "0", count: 4 - digits.count) + digits
        name = place.name
    }
}

extension TokenBuild {
    fileprivate init(_ info: TokenInfo, _ driveMegabytes: Int?) {
        hardware = VersionNumber(info.versions.hardware)
        firmware = VersionNumber(info.versions.firmware)
        protocolNumber = info.versions.protocolNumber
        firmwareChecksum = info.firmwareChecksum
        self.driveMegabytes = driveMegabytes
    }
}

extension VersionNumber {
    init(_ version: TokenVersion) {
        major = Int(version.major)
        minor = Int(version.minor)
    }
}

extension PINDetails {
    init(_ state: PINState) {
        lengths = state.minimumLength...max(state.minimumLength, state.maximumLength)
        tries = state.tries
        triesLeft = state.triesLeft
        isDefault = !state.isChanged
    }
}

extension PINChange {
    fileprivate init(_ info: TokenInfo) {
        var allowed: Set<Role> = []
        if info.user.changePolicy & 1 != 0 { allowed.insert(.securityOfficer) }
        if info.user.changePolicy & 2 != 0 { allowed.insert(.user) }
        self.allowed = allowed
        isDemanded = info.isUserPINChangeForced
    }
}

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
    /// Whether it can be worked with. If not, ``Token/activate(password:prompt:)`` comes first.
    public let isActivated: Bool
    /// Whether it has a secure channel.
    public let hasSecureChannel: Bool
    /// Whether it is reached over the air, as its reader and its answer to reset tell.
    public let isWireless: Bool
    /// The number of tries that the PIN has left; nil if the token does not tell yet.
    public let pinTriesLeft: Int?
    /// Whether its keys want the user's login: ``Token`` without one is a key container in a folder without a password.
    public let needsLogin: Bool
    /// Whether it is a key container of CryptoPro CSP in a folder, which is read and never changed.
    public let isFolder: Bool
    /// The user's PIN; nil if the token does not tell yet, and after an interrupted formatting.
    public let userPIN: PINDetails?
    /// The security officer's PIN; nil likewise.
    public let officerPIN: PINDetails?
    /// What PKCS #11 programs see of it.
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
        fields = TokenFields(state.info, state.model)
    }

    /// Whether both are of one token. One that does not say which it is counts as another in another reader.
    func isSameToken(as other: TokenInformation) -> Bool {
        serialNumber == other.serialNumber && (!serialNumber.isEmpty || reader == other.reader)
    }
}
