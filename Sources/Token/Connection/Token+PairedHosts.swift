// SPDX-License-Identifier: Apache-2.0
package import SecureChannel

/// The token's own list of the hosts that may open a channel to it (GSC/1, 6).
extension Token {
    /// The hosts that the token is paired with. Needs no login.
    package func pairedHosts() throws(TokenError) -> [PairedHost] {
        try transaction(first: .read) { card throws(TokenError) in try card.pairedHosts() }
    }

    /// Has the token forget a host, all of whose channels end. Any host but this one takes the SO's login.
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
    /// The token has forgotten this host, and said so in the channel.
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
