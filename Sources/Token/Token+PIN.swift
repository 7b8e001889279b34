import APDU
public import Secrets

extension Token {
    /// Presents a PIN (VERIFY). Spends a try if it is wrong; a PIN that no token can have spends none.
    public func logIn(as role: Role, pin: borrowing Secret) throws(TokenError) {
        let pin = pin.copy()
        try transaction(first: .act) { card throws(TokenError) in
            // A search that follows needs it, and most do.
            if card.isPlain, card.session.known.changeCounter == nil { try card.readChangeCounter() }
            try card.verify(role, pin)
            card.session.login.role = role
            card.session.known.objects = nil
            if card.session.isProtected && card.settings.policy.pinRetention == .session || card.session.returnsRights {
                card.session.login.pin = pin.copy()
            }
        }
    }

    /// Presents the PIN of whoever is logged in once more (VERIFY). A wrong one spends a try.
    public func confirm(_ pin: borrowing Secret) throws(TokenError) {
        let pin = pin.copy()
        try pin.requirePossiblePIN()
        try transaction(first: .act) { card throws(TokenError) in
            guard let role = card.login else { throw .notLoggedIn }
            do throws(TokenError) { try card.verify(role, pin) } catch {
                card.restoreRight(after: error)
                throw error
            }
        }
    }

    /// Gives up the right that ``logIn(as:pin:)`` gave. Even if the card cannot be told, nobody is logged in after it.
    public func logOut() throws(TokenError) {
        guard let role = login else { return }
        forgetLogin()
        try transaction(first: .act) { card throws(TokenError) in
            _ = try card.perform(.resetRight(of: role.rawValue))
        }
    }

    /// Gives a PIN a new value.
    ///
    /// - Parameter old: The present value; empty if whoever is logged in does not say it again.
    public func changePIN(of role: Role, from old: borrowing Secret, to new: borrowing Secret) throws(TokenError) {
        let old = old.copy()
        let new = new.copy()
        try new.requirePINLength()
        try transaction { card throws(TokenError) in
            if old.isEmpty {
                try card.requireLogin(role)
                try card.changePIN(of: role, to: new)
            } else {
                try card.presenting(old, of: role) { () throws(TokenError) in try card.changePIN(of: role, to: new) }
            }
            if card.session.login.pin != nil, card.login == role { card.session.login.pin = new.copy() }
        }
    }

    /// Gives User's PIN a value and all its tries. Needs the SO's login, and a token that lets the SO do it.
    public func resetUserPIN(to new: borrowing Secret) throws(TokenError) {
        let new = new.copy()
        try new.requirePINLength()
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            try card.perform(.resetRetryCounter(of: .user))
            try card.changePIN(of: .user, to: new)
        }
    }
}

extension Transaction {
    /// Runs `body` with the right that a PIN gives, which is taken for it alone.
    func presenting(
        _ pin: borrowing Secret, of role: Token.Role, _ body: () throws(TokenError) -> Void
    ) throws(TokenError) {
        try pin.requirePossiblePIN()
        do throws(TokenError) {
            try verify(role, pin)
        } catch {
            if login == role { restoreRight(after: error) }
            throw error
        }
        defer { if login != role, !session.returnsRights { _ = try? perform(.resetRight(of: role.rawValue)) } }
        try body()
    }

    /// The card had to drop the right of whoever is logged in, to look at a PIN that it did not take. The retained PIN
    /// takes it back; without one, nobody is logged in any more.
    fileprivate func restoreRight(after error: TokenError) {
        guard !session.returnsRights else { return }
        guard error == .pinIncorrect else { return session.forgetLogin() }
        try? presentRetainedPIN()
    }

    /// CHANGE REFERENCE DATA of a PIN; see ``change(_:to:)``.
    func changePIN(of role: Token.Role, to value: borrowing Secret) throws(TokenError) {
        try change(role.rawValue, to: value)
    }

    /// CHANGE REFERENCE DATA with a PIN as text. The card knows how short it may be.
    ///
    /// - Parameter reference: The number of a global PIN; 0 for the selected file.
    func change(_ reference: UInt8, to value: borrowing Secret) throws(TokenError) {
        let count = UInt8(truncatingIfNeeded: value.count)
        let data = Secret(copying: [0x80, 0x02, 0x00, count, 0xA6, count]).appending(value.bytes)
        do throws(TokenError) {
            try perform(.changeReferenceData(reference, data))
        } catch {
            throw error == .refused(.incorrectData) ? .pinLength : error
        }
    }

    /// VERIFY of a global PIN.
    func verify(_ role: Token.Role, _ pin: borrowing Secret) throws(TokenError) {
        do throws(TokenError) { try present(pin, as: role.rawValue) } catch {
            // The card may have taken what it could not confirm.
            if case .link = error, session.returnsRights { notes.heldRights.insert(role) }
            throw error
        }
        if session.returnsRights { notes.heldRights.insert(role) }
    }

    /// VERIFY.
    ///
    /// - Parameter reference: 01 the SO's, 02 User's, 80 + N local PIN N.
    func present(_ pin: borrowing Secret, as reference: UInt8) throws(TokenError) {
        try pin.requirePossiblePIN()
        try proveIdentity()
        var status = try send(.verify(reference, pin.copy())).status
        if status == .alreadyVerified {
            // Another process holds the right, so that the card did not look at this PIN.
            try perform(.resetRight(of: reference & 0x1F))
            status = try send(.verify(reference, pin.copy())).status
        }
        switch status {
        case .success: return
        case .verificationFailed: throw .pinIncorrect
        case _ where status.triesLeft != nil: throw .pinIncorrect
        default: throw TokenError(status)
        }
    }
}

extension PINState {
    /// Reads what the token tells of a PIN's length limits and tries: GET DATA 0101 and 0102, SELECT of a local PIN.
    init(_ template: FileTemplate) throws(TokenError) {
        guard template.properties.count == 6, template.access.count == 15 else { throw .malformedAnswer }
        minimumLength = Int(template.properties[1])
        isUTF8 = template.properties[2] & 0x80 != 0
        isChanged = template.properties[2] & 0x04 != 0
        tries = Int(template.properties[3] >> 4)
        triesLeft = Int(template.properties[3] & 0x0F)
        changePolicy = template.access[2] & 0x03
    }

    /// - Parameter answer: That of GET DATA.
    init(parsing answer: [UInt8]) throws(TokenError) {
        guard let template = try? FileTemplate(parsing: answer) else { throw .malformedAnswer }
        try self.init(template)
    }
}

extension Secret {
    /// Makes sure that a token can take this as a new PIN.
    borrowing func requirePINLength() throws(TokenError) {
        guard (1...PINState().maximumLength).contains(count) else { throw .pinLength }
    }

    /// Makes sure that this can be a PIN. What cannot is not sent, and spends no try: without data VERIFY asks for something
    /// else.
    borrowing func requirePossiblePIN() throws(TokenError) {
        guard (1...PINState().maximumLength).contains(count) else { throw .pinIncorrect }
    }
}
