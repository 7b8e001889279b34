// SPDX-License-Identifier: Apache-2.0

import APDU
package import Secrets
package import SecureChannel
import Translation

extension ConnectedToken {
    /// Activates the secure channel: exchanges long-term keys under the activation password and opens a session
    /// (GSC/1, 8 and 10). A token that is activated already is paired again in its place.
    package func activate(with password: borrowing ActivationPassword) throws(TokenError) {
        let offered = try exclusively { card throws(TokenError) in try card.offeredCapabilities() }
        guard let capabilities = offered else { throw .activationNeeded }
        guard let store = try session.pairingStore(create: true) else { throw .activationNeeded }
        let profile: Profile
        let former: PairingRecord?
        // Another process can hold the lock of the store: never wait for it while the token is held.
        do throws(ChannelError) {
            let pinned = try store.pairing(with: capabilities.serial)?.profile
            profile = try capabilities.profile(minimum: session.settings.policy.minimumProfile, pinned: pinned)
            former = try store.record(serial: capabilities.serial, profile: profile)
            try store.prepare(for: profile, random: session.settings.random)
        } catch {
            throw session.failure(error)
        }
        try exclusively { card throws(TokenError) in
            try card.pair(with: password, capabilities, in: profile, store: store)
            guard let record = try card.session.pairing(with: capabilities.serial) else { throw .activationNeeded }
            card.session.protection = .paired(record)
            card.session.identity.serial = capabilities.serial
            // Only a verified reply shows that the token has opened the session, and with it made its record active.
            try card.establish()
            card.session.acceptKey(of: record, after: former, in: store)
        }
    }

    /// Has the token make a new activation password (GSC/1, 6). Needs the SO's login.
    ///
    /// - Parameter slot: 1 to 6, or 0 for the next empty one.
    /// - Returns: The password in its canonical form.
    package func generateActivationPassword(slot: UInt8, charset: SecureChannel.Charset) throws(TokenError) -> Secret {
        try transaction { card throws(TokenError) in
            guard card.login == .securityOfficer else { throw .notLoggedIn }
            card.session.progress.hasActed = true
            return try card.inChannel { channel throws(ChannelError) in
                try channel.generateActivationPassword(slot: slot, charset: charset, isOneTime: false)
            }
        }
    }
}

extension Transaction {
    fileprivate func offeredCapabilities() throws(TokenError) -> Capabilities? {
        switch session.protection {
        case .unpaired(let capabilities): return capabilities
        case .keyChanged(let capabilities): return capabilities
        case .paired, .plain, .unknown:
            guard case .present(let capabilities, _) = try discovery() else { return nil }
            return capabilities
        }
    }

    fileprivate func pair(
        with password: borrowing ActivationPassword, _ capabilities: Capabilities, in profile: Profile,
        store: PairingStore
    ) throws(TokenError) {
        if profile == .classic { session.warn(nil, "pairing in the classic profile") }
        do throws(ChannelError) {
            session.channel = try SecureChannel.activate(
                with: password, over: link, capabilities: capabilities, profile: profile, label: settings.hostLabel,
                store: store, instance: session.history.instance, random: settings.random)
        } catch {
            throw session.failure(error)
        }
    }
}

extension CardSession {
    /// The user has activated the token: its key is the right one, though it may not be the one from before.
    fileprivate func acceptKey(of record: PairingRecord, after former: PairingRecord?, in store: PairingStore) {
        do throws(ChannelError) {
            let isChanged = former.map { $0.tokenKey != record.tokenKey } ?? false
            if try store.isKeyChanged(record) || isChanged {
                report(
                    .attackKeyChanged,
                    "the token was activated with another key than before: its channel was reset, or it is a different token"
                )
            }
            try store.accept(record)
        } catch {
            _ = failure(error)
        }
    }
}

/// The token's own list of the hosts that may open a channel to it (GSC/1, 6).
extension ConnectedToken {
    /// The hosts that the token is paired with. Needs no login.
    package func pairedHosts() throws(TokenError) -> [PairedHost] {
        try transaction(first: .read) { card throws(TokenError) in try card.pairedHosts() }
    }

    /// Has the token forget a host, all of whose channels end. Any host but this one needs the SO's login.
    ///
    /// The token is asked first whether its number is still that host's, so that a stale list removes no other. If it
    /// was this host, its part of the pairing goes too, and the token has to be activated again.
    ///
    /// - Returns: The host as the token knew it; nil if it has no such host any more.
    package func unpair(_ id: PairedHost.ID) throws(TokenError) -> PairedHost? {
        try transaction(first: .read) { card throws(TokenError) in
            guard let host = try card.pairedHosts().first(where: { $0.id == id }) else { return nil }
            guard host.isSelf || card.login == .securityOfficer else { throw .notLoggedIn }
            card.session.progress.hasActed = true
            try card.inChannel { channel throws(ChannelError) in try channel.unpair(index: host.index) }
            if host.isSelf { try card.session.forgetPairing() }
            return host
        }
    }
}

extension Transaction {
    fileprivate func pairedHosts() throws(TokenError) -> [PairedHost] {
        try inChannel { channel throws(ChannelError) in try channel.pairedHosts() }
    }
}

extension CardSession {
    /// The token has forgotten this host, and confirmed it in the channel.
    fileprivate func forgetPairing() throws(TokenError) {
        guard case .paired(let record) = protection else { return }
        protection = .unpaired(record.capabilities)
        channel?.discard()
        channel = nil
        forgetLogin()
        guard let store = try pairingStore() else { return }
        do throws(ChannelError) { try store.remove(record) } catch { throw failure(error) }
    }
}
