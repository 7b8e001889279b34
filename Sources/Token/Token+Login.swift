import APDU
import SecureChannel
import Secrets

/// Login on tokens without a channel: the right is taken inside each transaction that needs it and given back at its end,
/// so that no other process inherits it.
extension Token {
    /// Whether the card forgets the login at the end of each transaction. That takes a PIN that is kept.
    var returnsRights: Bool {
        guard case .plain = protection else { return false }
        return settings.policy.plainLogin == .reset && settings.policy.pinRetention == .session
    }

    /// Makes sure that the card acts for `role`.
    ///
    /// - Throws: ``TokenError/notLoggedIn`` if nobody is logged in, or another.
    func requireLogin(_ role: Role) throws(TokenError) {
        guard login == role else { throw .notLoggedIn }
        guard returnsRights, !heldRights.contains(role) else { return }
        try presentRetainedPIN()
        guard login == role else { throw .notLoggedIn }
    }

    /// Makes sure that the card acts for whoever is logged in.
    func requireAnyLogin() throws(TokenError) {
        guard let login else { throw .notLoggedIn }
        try requireLogin(login)
    }

    /// Gives back what this transaction's VERIFY commands gained. That it cannot is no error of the call: a card that
    /// does not answer is about to lose its state anyway.
    func returnHeldRights() {
        for role in heldRights {
            let status = try? link.transmit(Command(0x80, 0x40, 0x00, role.rawValue)).status
            if status != .success { warn("the token did not drop the login at the end of a call") }
        }
        heldRights = []
    }

    /// Presents the retained PIN, in a channel that was opened anew (gsc1, 15.3) or to a card that has forgotten the
    /// login: once, and a PIN that is not taken ends the login. Without a retained PIN the login has ended already.
    func presentRetainedPIN() throws(TokenError) {
        mustPresentPIN = false
        guard let role = login, let pin = retainedPIN?.copy() else { return forgetLogin() }
        let hadActed = hasActed
        do throws(TokenError) {
            try verify(role, pin)
            // The presentation is no part of the call, which may be repeated after it.
            hasActed = hadActed
        } catch {
            // A card that could not be asked has not refused. It is not asked twice in a call: that may cost two tries.
            if case .link = error, returnsRights { throw error }
            hasActed = hadActed
            forgetLogin()
            warn("the PIN was not taken again: the login is over")
            throw .notLoggedIn
        }
    }
}
