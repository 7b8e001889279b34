// SPDX-License-Identifier: Apache-2.0
import APDU
package import SecureChannel

/// The state of a token's secure channel.
package struct ProtectionInfo: Sendable, Equatable {
    /// The profiles that the token offers; none if it has no channel.
    package var profiles: Set<Profile> = []
    /// The profile in which this host is paired with it.
    package var profile: Profile?
    /// Whether the store has a different key of the token than this user knows, so that it must be activated.
    package var isKeyChanged = false

    /// Whether the token has a channel.
    package var isAvailable: Bool { !profiles.isEmpty }
}

extension ConnectedToken {
    /// The state of the token's channel as this host knows it, without asking the token.
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

extension ConnectedToken {
    /// The state of the channel. It is opened as a check, unless that takes it from another process.
    package func channelInfo() throws(TokenError) -> ChannelInfo {
        var info = ChannelInfo(state: .none, serial: serial, isWireless: isWireless)
        if session.identity.capabilities != nil {
            let (hints, passwords) = try exclusively { card throws(TokenError) in try card.channelHints() }
            info.label = hints.label
            info.passwords = passwords
            info.isPairingOpen = hints.now.contains(.pairingWindowOpen)
            info.isInUse = hints.now.contains(.sessionActive)
        }
        info.state = try channelState(isInUse: info.isInUse)
        let protection = protectionInfo
        info.profiles = protection.profiles
        info.profile = protection.profile
        info.needsButton = session.identity.capabilities?.policy.contains(.pairingNeedsButton) ?? false
        return info
    }

    private func channelState(isInUse: Bool) throws(TokenError) -> ChannelInfo.State {
        switch session.protection {
        case .plain: return .none
        case .unpaired(nil): return .missing
        case .unpaired(let capabilities?):
            let minimum = session.settings.policy.minimumProfile
            let profile = try? capabilities.profile(minimum: minimum, pinned: nil)
            return profile == nil || session.settings.pairings == .nowhere ? .unusable : .inactive
        case .keyChanged: return .keyChanged
        case .unknown: return .unusable
        case .paired(let record):
            let wouldEvict = record.capabilities.sessions == 1 && session.channel?.isOpen != true
            if wouldEvict, isInUse { return .active }
            return try openedState(by: record)
        }
    }

    /// The state of a channel with a pairing, which is opened.
    private func openedState(by record: PairingRecord) throws(TokenError) -> ChannelInfo.State {
        do throws(TokenError) {
            // The change counter is read, so that the token has proved itself.
            try transaction { _ throws(TokenError) in }
            return .active
        } catch {
            if error == .notLoggedIn { return .active }
            guard let state = error.refusal(of: record, session.settings.policy.minimumProfile) else { throw error }
            return state
        }
    }
}

extension Transaction {
    /// The token's present hints about its channel.
    fileprivate func channelHints() throws(TokenError) -> (TokenHints, [ChannelInfo.Password]) {
        guard case .present(let capabilities, let hints) = try discovery(),
            capabilities.serial == session.identity.serial
        else { throw foundAnother() }
        session.identity.hints = hints
        var passwords: [ChannelInfo.Password] = []
        for (number, state) in zip(1..., hints.slots) {
            let slot: SlotInformation?
            do throws(ChannelError) {
                slot = try SlotInformation.read(slot: UInt8(clamping: number), over: link)
            } catch {
                if case .link = error { throw .channel(error) }
                slot = nil
            }
            passwords.append(ChannelInfo.Password(number: number, state: state, triesLeft: slot?.triesLeft))
        }
        return (hints, passwords)
    }
}
