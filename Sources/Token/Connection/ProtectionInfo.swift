// SPDX-License-Identifier: Apache-2.0
package import SecureChannel

/// What a token tells of its secure channel.
package struct ProtectionInfo: Sendable, Equatable {
    /// The profiles that the token offers; none if it has no channel.
    package var profiles: Set<Profile> = []
    /// The profile in which this host is paired with it.
    package var profile: Profile?
    /// Whether the store has another key of the token than the one that this user knows, so that it must be activated.
    package var isKeyChanged = false
}

extension Token {
    /// What this host knows of the token's channel, without a word to the token.
    package var protectionInfo: ProtectionInfo {
        var info = ProtectionInfo(profiles: session.identity.capabilities?.profiles ?? [])
        if case .paired(let record) = session.protection {
            info.profiles = record.capabilities.profiles
            info.profile = record.profile
        }
        if case .keyChanged = session.protection { info.isKeyChanged = true }
        return info
    }
}
