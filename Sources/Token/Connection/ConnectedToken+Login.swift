// SPDX-License-Identifier: Apache-2.0
import APDU
import Containers
package import Secrets
import Translation

extension ConnectedToken {
    /// Presents a PIN (VERIFY). Spends a try if it is wrong; a PIN that no token can have spends none.
    package func logIn(as role: Role, pin: borrowing Secret) throws(TokenError) {
        let pin = pin.copy()
        try transaction(first: .act) { card throws(TokenError) in
            guard !card.session.isOpenFolder else { throw .container(.passwordNotNeeded) }
            // A search that follows needs it, and most do.
            if card.isPlain, card.session.known.changeCounter == nil { try card.readChangeCounter() }
            try card.present(pin, as: role.rawValue)
            card.session.login.role = role
            card.session.known.objects = nil
            let isKept = card.session.isProtected && card.settings.policy.pinRetention == .session
            // Each use of a key in a folder needs the password.
            if isKept || card.session.returnsRights || card.session.isFolder {
                card.session.login.pin = pin.copy()
            }
        }
    }

    /// Presents the PIN of the logged-in role once more (VERIFY). A wrong one spends a try.
    package func confirm(_ pin: borrowing Secret) throws(TokenError) {
        let pin = pin.copy()
        try pin.requirePossiblePIN()
        try transaction(first: .act) { card throws(TokenError) in
            guard let role = card.login else { throw .notLoggedIn }
            do throws(TokenError) { try card.present(pin, as: role.rawValue) } catch {
                card.restoreRight(after: error)
                throw error
            }
        }
    }

    /// Resets the right that ``logIn(as:pin:)`` gained. The login ends even if the card cannot be reached.
    package func logOut() throws(TokenError) {
        guard let role = login else { return }
        forgetLogin()
        guard !session.isFolder else { return }
        try transaction(first: .act) { card throws(TokenError) in
            _ = try card.perform(.resetRight(of: role.rawValue))
        }
    }
}

extension Transaction {
    /// Runs `body` with the right of a PIN, which is gained for it alone.
    func presenting(
        _ pin: borrowing Secret, of role: ConnectedToken.Role, _ body: () throws(TokenError) -> Void
    ) throws(TokenError) {
        try pin.requirePossiblePIN()
        do throws(TokenError) { try present(pin, as: role.rawValue) } catch {
            if login == role { restoreRight(after: error) }
            throw error
        }
        defer {
            if login != role, !session.returnsRights, !session.isFolder {
                _ = try? perform(.resetRight(of: role.rawValue))
            }
        }
        try body()
    }

    /// The card had to drop the right of the logged-in role, to verify a PIN that it rejected. The retained PIN gains
    /// it again; without one, the login is over.
    func restoreRight(after error: TokenError) {
        guard !session.returnsRights else { return }
        guard error == .pinIncorrect else { return session.forgetLogin() }
        try? presentRetainedPIN()
    }

    /// VERIFY.
    ///
    /// - Parameter reference: 01 the SO's, 02 User's, 80 + N local PIN N.
    func present(_ pin: borrowing Secret, as reference: UInt8) throws(TokenError) {
        let role = ConnectedToken.Role(rawValue: reference)
        if session.isFolder, let role { return try verifyPassword(role, pin) }
        do throws(TokenError) {
            try pin.requirePossiblePIN()
            try proveIdentity()
            var status = try send(.verify(reference, pin.copy())).status
            if status == .alreadyVerified {
                // Another process holds the right, so that the card did not look at this PIN.
                try perform(.resetRight(of: reference & 0x1F))
                status = try send(.verify(reference, pin.copy())).status
            }
            switch status {
            case .success: break
            case .verificationFailed: throw TokenError.pinIncorrect
            case _ where status.triesLeft != nil: throw TokenError.pinIncorrect
            case .fileNotFound, .referencedDataNotFound: throw TokenError.pinNotSet
            default: throw TokenError(status)
            }
            if let role, session.returnsRights { state.heldRights.insert(role) }
        } catch {
            // The card may have accepted the PIN without being able to confirm it.
            if case .link = error, let role { giveUp(role) }
            throw error
        }
    }
}

/// Login on tokens without a channel: the right is taken inside each transaction that needs it and given back at its end,
/// so that no other process inherits it.
extension Transaction {
    /// Makes sure that the card acts for `role`.
    ///
    /// - Throws: ``TokenError/notLoggedIn`` if no role, or the other one, is logged in.
    func requireLogin(_ role: ConnectedToken.Role) throws(TokenError) {
        guard login == role else { throw .notLoggedIn }
        guard session.returnsRights, !state.heldRights.contains(role) else { return }
        try presentRetainedPIN()
        guard login == role else { throw .notLoggedIn }
    }

    /// Makes sure that the card acts for the logged-in role.
    func requireAnyLogin() throws(TokenError) {
        guard let login else { throw .notLoggedIn }
        try requireLogin(login)
    }

    /// Leaves no right on the card that a VERIFY without an answer may have gained: it is returned at the end of the transaction,
    /// or at once where rights stay between calls.
    func giveUp(_ role: ConnectedToken.Role) {
        if session.returnsRights {
            state.heldRights.insert(role)
        } else if isPlain, session.progress.hasActed {
            _ = try? send(CardCommand.resetRight(of: role.rawValue))
        }
    }

    /// Resets the rights that this transaction's VERIFY gained. A failure is not an error of the call: a card that
    /// does not answer is about to lose its state anyway.
    func returnHeldRights() {
        for role in state.heldRights {
            let status = try? link.transmit(CardCommand.resetRight(of: role.rawValue).apdu).status
            if status == nil { session.proven = nil }
            if status != .success { session.warn(nil, "the token did not drop the login at the end of a call") }
        }
        state.heldRights = []
    }
}

extension Secret {
    /// Makes sure that this can be a PIN. An impossible one is not sent, and spends no try: without data VERIFY asks
    /// for something else.
    borrowing func requirePossiblePIN() throws(TokenError) {
        guard (1...PINState().maximumLength).contains(count) else { throw .pinIncorrect }
    }
}
