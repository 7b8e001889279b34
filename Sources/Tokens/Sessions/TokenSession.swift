// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking
package import SecureChannel
package import Secrets
package import Token

/// A program's session with the token in a slot: while it is open, the connection stays, and with it the login.
///
/// It has no operation in progress, so that any number of threads can use it.
package final class TokenSession: Sendable {
    package let slots: Slots
    package let slot: Int
    private let number: Int
    /// The token's objects at the last look, or as this session has changed them; nil before the first.
    let known = Lock<[TokenObject]?>(nil)

    fileprivate init(_ slots: Slots, slot: Int, number: Int) {
        (self.slots, self.slot, self.number) = (slots, slot, number)
    }

    /// Runs `body` with the slot.
    ///
    /// - Throws: ``TokensError/sessionEnded`` if the session was closed, or has ended with the token's absence.
    func withSlot<Result: ~Copyable>(
        _ body: (TokenSlot) throws(TokensError) -> Result
    ) throws(TokensError) -> Result {
        try slots.withSlot(slot) { slot throws(TokensError) in
            guard slot.hasSession(number) else { throw .sessionEnded }
            return try body(slot)
        }
    }

    /// Runs `body` with the token.
    ///
    /// - Parameter usesKey: Whether `body` uses a key, which another program may have deleted.
    package func withToken<Result: ~Copyable & Sendable>(
        usesKey: Bool = false, _ body: @Sendable (Token) throws(TokenError) -> Result
    ) throws(TokensError) -> Result {
        try withSlot { slot throws(TokensError) in try slot.withToken(usesKey: usesKey, body) }
    }

    /// Closes the session. With the last one the login ends and the token is let go.
    package func close() {
        try? slots.withSlot(slot) { slot throws(TokensError) in slot.closeSession(number) }
    }

    // MARK: Presence and login

    /// Makes sure that the token is there, without a command; one that is away is waited for.
    package func requirePresence() throws(TokensError) {
        try withToken { token throws(TokenError) in try token.requirePresence() }
    }

    /// The serial number of the token, as far as it told it; see `Token.serial`.
    package var serial: [UInt8] {
        get throws(TokensError) { try withSlot { slot throws(TokensError) in slot.turn.state?.serial ?? [] } }
    }

    /// The role that is logged in.
    package var login: Token.Role? {
        get throws(TokensError) { try withSlot { slot throws(TokensError) in slot.login } }
    }

    /// Logs in. Any login before it ends.
    package func logIn(as role: Token.Role, pin: borrowing Secret) throws(TokensError) {
        let pin = pin.copy()
        try logOut()
        try withToken { token throws(TokenError) in try token.logIn(as: role, pin: pin) }
    }

    /// Ends any login.
    package func logOut() throws(TokensError) {
        known.withLock { $0 = nil }
        try withSlot { slot throws(TokensError) in
            if slot.login != nil { try slot.logOut() }
        }
    }

    /// Makes sure, without a command, that a role is logged in.
    ///
    /// - Throws: ``TokenError/notLoggedIn``.
    func requireLogin(_ role: Token.Role) throws(TokensError) {
        try withSlot { slot throws(TokensError) in try slot.requireLogin(role) }
    }
}

extension Slots {
    /// Opens a session. If the token has to be activated before, the user is asked for the password, if that is wanted.
    package func openSession(with number: Int) throws(TokensError) -> TokenSession {
        do throws(TokensError) { return try openSessionAtOnce(with: number) } catch {
            guard error.needsActivation else { throw error }
            do throws(TokensError) { try askForActivation(of: number) } catch let refusal {
                guard case .notActivated = refusal else { throw refusal }
                throw error
            }
            return try openSessionAtOnce(with: number)
        }
    }

    private func openSessionAtOnce(with number: Int) throws(TokensError) -> TokenSession {
        try refresh(recent: true)
        return try withSlot(number) { slot throws(TokensError) in
            try slot.withoutSessions { () throws(TokensError) in
                TokenSession(self, slot: number, number: try slot.openSession())
            }
        }
    }
}

extension TokenSlot {
    /// Opens a session, as soon as the token is usable.
    fileprivate func openSession() throws(TokensError) -> Int {
        // Entered before the token is asked, so that the connection stays.
        let number = enterSession()
        do throws(TokensError) {
            if isReady { return number }
            // A new connection has just checked the token.
            let wasConnected = turn.state != nil
            try withToken { token throws(TokenError) in
                if wasConnected || !token.isPlain { try token.prepare() }
            }
            return number
        } catch {
            closeSession(number)
            throw error
        }
    }

    /// Ends the login. A token that is away loses the right with its session. It is not waited for.
    package func logOut() throws(TokensError) {
        if isWaiting { return forgetLogin() }
        do throws(TokensError) {
            try withToken(waits: false) { token throws(TokenError) in try token.logOut() }
        } catch {
            guard isWaiting else { throw error }
        }
    }
}

/// PINs, passwords, the token's name and its licences: see the slot's functions.
extension TokenSession {
    /// Changes the PIN of a role.
    package func changePIN(
        of role: Token.Role, from old: borrowing Secret, to new: borrowing Secret
    ) throws(TokensError) {
        let old = old.copy()
        let new = new.copy()
        try withSlot { slot throws(TokensError) in try slot.changePIN(of: role, from: old, to: new) }
    }

    /// Gives User's PIN a new value. For the SO, on a token whose policy allows it.
    package func setUserPIN(_ pin: borrowing Secret) throws(TokensError) {
        try requireLogin(.securityOfficer)
        let pin = pin.copy()
        try withToken { token throws(TokenError) in
            try token.requireUserPINResettable()
            try token.resetUserPIN(to: pin)
        }
    }

    /// Gives User's PIN all its tries; the PIN stays. For the SO.
    package func unblockUserPIN() throws(TokensError) {
        try withSlot { slot throws(TokensError) in try slot.unblockUserPIN() }
    }

    /// Names the token, or takes its name away. For User.
    package func setName(_ name: [UInt8]) throws(TokensError) {
        try withSlot { slot throws(TokensError) in try slot.setName(name) }
    }

    /// A licence; zeros if none was written.
    package func licence(_ number: Int) throws(TokensError) -> [UInt8] {
        try withSlot { slot throws(TokensError) in try slot.licence(number) }
    }

    /// Writes a licence. Either login will do.
    package func setLicence(_ number: Int, to licence: [UInt8]) throws(TokensError) {
        try withSlot { slot throws(TokensError) in try slot.setLicence(number, to: licence) }
    }

    /// Has the token make an activation password, in place of the one with the same number. For the SO.
    package func generateActivationPassword(
        number: UInt8, charset: SecureChannel.Charset
    ) throws(TokensError) -> Secret {
        try withSlot { slot throws(TokensError) in
            try slot.generateActivationPassword(number: number, charset: charset)
        }
    }

    /// Has the token forget a host, all of whose channels end.
    package func removePairedHost(_ id: PairedHost.ID) throws(TokensError) {
        try withSlot { slot throws(TokensError) in try slot.removePairedHost(id) }
    }
}

/// The driver's roles, for libraries that have a `Token` of their own.
package typealias TokenRole = Token.Role
