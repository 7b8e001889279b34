// SPDX-License-Identifier: Apache-2.0
import APDU
package import Locking
package import Secrets
package import Token
import Translation

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
        usesKey: Bool = false, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(TokensError) -> Result {
        try withSlot { slot throws(TokensError) in try slot.withTokenInSession(usesKey: usesKey, body) }
    }

    /// Closes the session. With the last one the login ends and the token is let go.
    package func close() {
        try? slots.withSlot(slot, computes: false) { slot throws(TokensError) in slot.closeSession(number) }
    }

    // MARK: Presence and login

    /// Makes sure that the token is there, without a command; waits for an absent token.
    package func requirePresence() throws(TokensError) {
        try withToken { token throws(TokenError) in try token.requirePresence() }
    }

    /// The serial number of the token, as far as it reported it; see `ConnectedToken.serial`.
    package var serial: [UInt8] {
        get throws(TokensError) { try withSlot { slot throws(TokensError) in slot.turn.state?.serial ?? [] } }
    }

    /// The role that is logged in.
    package var login: ConnectedToken.Role? {
        get throws(TokensError) { try withSlot { slot throws(TokensError) in slot.login } }
    }

    /// Logs in. Any login before it ends.
    package func logIn(as role: ConnectedToken.Role, pin: borrowing Secret) throws(TokensError) {
        try logOut()
        try withSlot { slot throws(TokensError) in
            try slot.logIn(as: role, pin: pin) { () throws(TokensError) in }
        }
    }

    /// The same, with a PIN that the user types at the reader.
    ///
    /// - Parameter isShown: Whether an authenticator shows what to type.
    package func logInAtReader(as role: ConnectedToken.Role, isShown: Bool) throws(TokensError) {
        try logOut()
        let request = PINRequest(pin: .init(role), purpose: "to log in")
        try slots.atReader(request, isShown: isShown, in: slot) { () throws(TokensError) in
            try slots.facts(of: slot)
        } _: { () throws(TokensError) in
            try withSlot { slot throws(TokensError) in try slot.logInAtReader(as: role) { () throws(TokensError) in } }
        }
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
    func requireLogin(_ role: ConnectedToken.Role) throws(TokensError) {
        try withSlot { slot throws(TokensError) in try slot.requireLogin(role) }
    }
}

extension Slots {
    /// Opens a session. If the token has to be activated before, the user is asked for the password, if that is wanted.
    package func openSession(with number: Int) throws(TokensError) -> TokenSession {
        try activating(number) { () throws(TokensError) in try openSessionAtOnce(with: number) }
    }

    /// Runs `open`, which opens a session with a token. If the token has to be activated before, the user is asked for the
    /// password, if that is wanted, and `open` runs again.
    package func activating<Session, Failure: TokenCallError>(
        _ number: Int, _ open: () throws(Failure) -> Session
    ) throws(Failure) -> Session {
        do throws(Failure) { return try open() } catch {
            guard error.needsActivation else { throw error }
            do throws(TokensError) { try askForActivation(of: number) } catch let refusal {
                guard case .notActivated(let reason) = refusal else { throw Failure(refusal) }
                throw reason.map(error.following) ?? error
            }
            return try open()
        }
    }

    /// A token's known state, as ``token(in:evicting:)`` returns it at no other process's cost, and a session over the
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
    /// Makes sure that the token is usable, for a session that was entered before, so that the connection stays.
    ///
    /// - Parameter check: Makes sure, when the turn has come, that the session may be opened.
    package func prepareForSession<Failure: TokenCallError>(checking check: () throws(Failure) -> Void) throws(Failure)
    {
        guard !isReady else { return try check() }
        // A new connection has just checked the token.
        let wasConnected = turn.state != nil
        takeTurn()
        defer { giveTurn() }
        try check()
        do throws(TokensError) {
            try inTurn { token throws(TokenError) in if wasConnected || !token.isPlain { try token.prepare() } }
        } catch {
            throw Failure(error)
        }
    }

    /// Opens a session, as soon as the token is usable.
    fileprivate func openSession() throws(TokensError) -> Int {
        // Entered before the token is asked, so that the connection stays.
        let number = enterSession()
        do throws(TokensError) {
            try prepareForSession { () throws(TokensError) in }
            return number
        } catch {
            closeSession(number)
            throw error
        }
    }

    /// Logs in, or has the owner of a key prove that it may be used once.
    ///
    /// - Parameters:
    ///   - role: nil for one use of a key.
    ///   - key: The key, if its container has a password of its own; nil if it wants the PIN of the logged-in role.
    ///   - check: Makes sure, when the turn has come, that the login is possible.
    package func logIn<Failure: TokenCallError>(
        as role: ConnectedToken.Role?, pin: borrowing Secret, of key: TokenObject? = nil,
        checking check: () throws(Failure) -> Void
    ) throws(Failure) {
        let pin = pin.copy()
        do throws(TokensError) { try takeTurnInSession() } catch { throw Failure(error) }
        defer { giveTurn() }
        try check()
        do throws(TokensError) {
            try inTurn { token throws(TokenError) in
                if let role { return try token.logIn(as: role, pin: pin) }
                if let key { try token.checkPassword(pin, of: key) } else { try token.confirm(pin) }
            }
        } catch {
            throw Failure(error)
        }
    }

    /// The same, with a PIN that the user types at the reader.
    package func logInAtReader<Failure: TokenCallError>(
        as role: ConnectedToken.Role?, checking check: () throws(Failure) -> Void
    ) throws(Failure) {
        do throws(TokensError) { try takeTurnInSession() } catch { throw Failure(error) }
        defer { giveTurn() }
        try check()
        do throws(TokensError) {
            try inTurn { token throws(TokenError) in
                if let role { try token.logInAtReader(as: role) } else { try token.confirmAtReader() }
            }
        } catch {
            throw Failure(error)
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
    /// Sets User's PIN to a new value. For the SO, on a token whose policy allows it.
    package func setUserPIN(_ pin: borrowing Secret) throws(TokensError) {
        try requireLogin(.securityOfficer)
        let pin = pin.copy()
        try withToken { token throws(TokenError) in
            try token.requireUserPINResettable()
            try token.resetUserPIN(to: pin)
        }
    }
}

/// The driver's roles, for libraries that have a `ConnectedToken` of their own.
package typealias TokenRole = ConnectedToken.Role
