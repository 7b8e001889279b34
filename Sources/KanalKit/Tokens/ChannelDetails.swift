// SPDX-License-Identifier: Apache-2.0
import SecureChannel
import Token

/// The state of the secure channel between a token and this user.
public struct ChannelDetails: Sendable, Equatable {
    /// The state of a channel, by what can be done next.
    public enum State: Sendable, Equatable {
        /// The token has no channel, or none is needed here: commands are sent to it in plain.
        case notNeeded
        /// The channel is activated.
        case active
        /// The token wants to be activated: ``Token/activate(password:prompt:)``.
        case inactive
        /// The token was activated, and no longer knows this host: it has to be activated again.
        case revoked
        /// Another user has activated the token with another key: it has to be activated by this one too.
        case keyChanged
        /// The token offers no channel, and is not used without one. No password helps.
        case missing
        /// The pairings cannot be read, or the channel cannot be opened; the log has the reason. No password helps
        /// before that is mended.
        case unusable
    }

    /// By which rules a channel protects.
    public enum Profile: String, Sendable, Equatable {
        /// The older one, by GOST of 1989 to 2001.
        case classic
        /// The present one, by GOST of 2012 and 2015.
        case modern
    }

    /// The state, by what can be done next.
    public let state: State
    /// The profiles that the token offers; none if it has no channel.
    public let offered: [Profile]
    /// The profile in use.
    public let profile: Profile?
    /// Whether a channel is open now, of this program or another.
    public let isInUse: Bool
    /// Whether a button of the token has to be pressed to activate it.
    public let needsButton: Bool
    /// Whether the token can be activated now: it is not forbidden here, and the button was pressed if there must be one.
    public let isReadyForActivation: Bool
    /// The activation passwords that the token has a place for.
    public let passwords: [PasswordDetails]
}

/// The details of an activation password that the token reports without authentication.
public struct PasswordDetails: Sendable, Equatable {
    /// The state of a password.
    public enum State: Sendable, Equatable {
        /// Not set.
        case empty
        /// It activates the token.
        case ready
        /// It has no tries left.
        case locked
        /// It could be used once, and was.
        case used
    }

    /// 1 to 6; the password's first symbol states it.
    public let number: Int
    /// Its state.
    public let state: State
    /// The number of wrong passwords that the token still accepts; nil if it does not report it.
    public let triesLeft: Int?
}

extension ChannelDetails {
    init(_ info: ChannelInfo) {
        state =
            switch info.state {
            case .none: .notNeeded
            case .active: .active
            case .inactive: .inactive
            case .forgotten: .revoked
            case .keyChanged: .keyChanged
            case .missing: .missing
            case .unusable: .unusable
            }
        offered = info.profiles.sorted().map(Profile.init)
        profile = info.profile.map(Profile.init)
        isInUse = info.isInUse
        needsButton = info.needsButton
        isReadyForActivation = info.isPairingOpen
        passwords = info.passwords.map(PasswordDetails.init)
    }
}

/// The channel's name for the same.
typealias OfferedProfile = Profile

extension ChannelDetails.Profile {
    init(_ profile: OfferedProfile) { self = profile == .modern ? .modern : .classic }
}

extension PasswordDetails {
    fileprivate init(_ password: ChannelInfo.Password) {
        number = password.number
        triesLeft = password.triesLeft
        state =
            switch password.state {
            case .empty: .empty
            case .ready: .ready
            case .blocked, .exhausted: .locked
            case .consumed: .used
            }
    }
}
