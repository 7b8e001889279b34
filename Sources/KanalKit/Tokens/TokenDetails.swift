// SPDX-License-Identifier: Apache-2.0

import Token
import Tokens

/// The answers of a token that is asked for everything it reports of itself: ``Token/details(prompt:)``.
///
/// A token whose secure channel is not open reports little more than its serial number. Facts not reported are
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

/// Versions of a token.
public struct TokenBuild: Sendable, Equatable {
    /// The hardware's version, for instance 67.4.
    public let hardware: VersionNumber
    /// The firmware's version.
    public let firmware: VersionNumber
    /// The maker's number for the commands that the token supports.
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
    /// The whole memory. No token reports it: this is the maker's figure for all.
    public let total: Int
    /// The free part of it.
    public let free: Int?
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

extension PINChange {
    fileprivate init(_ info: TokenInfo) {
        var allowed: Set<Role> = []
        if info.user.changePolicy & 1 != 0 { allowed.insert(.securityOfficer) }
        if info.user.changePolicy & 2 != 0 { allowed.insert(.user) }
        self.allowed = allowed
        isDemanded = info.isUserPINChangeForced
    }
}
