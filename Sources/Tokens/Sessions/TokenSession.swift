// SPDX-License-Identifier: Apache-2.0
import APDU
package import Locking
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
    /// Asks for the passwords of containers, in place of the configured program; nil for that one.
    package let passwords = Lock<PasswordQuestion?>(nil)

    fileprivate init(_ slots: Slots, slot: Int, number: Int) {
        (self.slots, self.slot, self.number) = (slots, slot, number)
    }

    /// Runs `body` with the slot, whose functions change PINs, passwords, the token's name, licences and hosts.
    ///
    /// - Throws: ``TokensError/sessionEnded`` if the session was closed, or has ended with the token's absence.
    package func withSlot<Result: ~Copyable>(
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
        try? slots.withSlot(slot, computes: false) { slot throws(TokensError) in slot.closeSession(number) }
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

    /// The known state of a token, as ``token(in:evicting:)`` gives it at no other process's cost, and a session over the
    /// same connection: nil with a token that has a channel, or is not activated.
    package func tokenAndSession(in number: Int) throws(TokensError) -> (TokenReport, TokenSession?) {
        try refresh(recent: true)
        // Entered before the token is asked, so that the connection stays.
        let session = try withSlot(number, computes: false) { slot throws(TokensError) in
            TokenSession(self, slot: number, number: slot.enterSession())
        }
        do throws(TokensError) {
            let report = try token(in: number, evicting: false)
            let isPlain = try withSlot(number, computes: false) { slot throws(TokensError) in
                slot.turn.state?.isPlain == true
            }
            if isPlain { return (report, session) }
            session.close()
            return (report, nil)
        } catch {
            session.close()
            throw error
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

extension TokenSession {
    /// Gives User's PIN a new value. For the SO, on a token whose policy allows it.
    package func setUserPIN(_ pin: borrowing Secret) throws(TokensError) {
        try requireLogin(.securityOfficer)
        let pin = pin.copy()
        try withToken { token throws(TokenError) in
            try token.requireUserPINResettable()
            try token.resetUserPIN(to: pin)
        }
    }
}

/// The driver's roles, for libraries that have a `Token` of their own.
package typealias TokenRole = Token.Role
