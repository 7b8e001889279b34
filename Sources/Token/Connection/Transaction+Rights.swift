import APDU
import SecureChannel
import Secrets

/// Login on tokens without a channel: the right is taken inside each transaction that needs it and given back at its end,
/// so that no other process inherits it.
extension Transaction {
    /// Makes sure that the card acts for `role`.
    ///
    /// - Throws: ``TokenError/notLoggedIn`` if nobody is logged in, or another.
    func requireLogin(_ role: Token.Role) throws(TokenError) {
        guard login == role else { throw .notLoggedIn }
        guard session.returnsRights, !notes.heldRights.contains(role) else { return }
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
        for role in notes.heldRights {
            let status = try? link.transmit(CardCommand.resetRight(of: role.rawValue).apdu).status
            if status != .success { session.warn("the token did not drop the login at the end of a call") }
        }
        notes.heldRights = []
    }
}
