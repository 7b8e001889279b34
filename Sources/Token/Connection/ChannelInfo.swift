// SPDX-License-Identifier: Apache-2.0
import APDU
package import SecureChannel

/// The state of the channel between this user and a token, for callers without a session.
package struct ChannelInfo: Sendable, Equatable {
    package enum State: Sendable, CaseIterable {
        /// Commands go to the token as they are: it has no channel, or needs none here.
        case none
        /// The channel is activated.
        case active
        /// The token wants to be activated.
        case inactive
        /// The token was activated, and does not know this host any more: it has to be activated again.
        case forgotten
        /// Another user has activated the token with another key: it has to be activated by this one too.
        case keyChanged
        /// The token offers no channel, and is not used without one. No password helps.
        case missing
        /// The pairings cannot be read, the channel cannot be opened, or every profile is excluded: the log has which.
        /// No password helps before that is repaired.
        case unusable
    }

    /// The token's report on an activation password that it has a place for.
    package struct Password: Sendable, Equatable {
        /// 1 to 6; the first symbol of the password shows it.
        package let number: Int
        package let state: TokenHints.SlotState
        /// The wrong passwords that the token still accepts; nil if it does not report them.
        package let triesLeft: Int?
    }

    package var state: State
    /// The token's serial number, 8 bytes; empty if it was not asked.
    package var serial: [UInt8]
    /// The profiles that the token offers; none if it has no channel.
    package var profiles: Set<Profile> = []
    /// The profile of the pairing.
    package var profile: Profile?
    /// Whether the token is reached over the air.
    package var isWireless: Bool

    // The token reports the rest outside of the channel, unauthenticated.

    package var label = ""
    package var passwords: [Password] = []
    /// Whether a button has to be pressed to activate it.
    package var needsButton = false
    /// Whether it can be activated now: that is not forbidden here, and the button was pressed if there must be one.
    package var isPairingOpen = false
    /// Whether it has an open channel, of this process or another.
    package var isInUse = false

    /// Whether sessions open only after an activation.
    package var needsActivation: Bool { [.inactive, .forgotten, .keyChanged].contains(state) }
}
