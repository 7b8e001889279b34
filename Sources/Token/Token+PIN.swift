import APDU
public import Secrets

extension Token {
    /// Presents a PIN (VERIFY). Spends a try if it is wrong; a PIN that no token can have spends none.
    public func logIn(as role: Role, pin: borrowing Secret) throws(TokenError) {
        let pin = pin.copy()
        try transaction(.acting) { () throws(TokenError) in
            // A search that follows needs it, and most do.
            if isPlain, changeCounter == nil { try readChangeCounter() }
            try verify(role, pin)
            login = role
            cache = nil
            if isProtected && settings.policy.pinRetention == .session || returnsRights {
                retainedPIN = pin.copy()
            }
        }
    }

    /// Presents the PIN of whoever is logged in once more (VERIFY). A wrong one spends a try.
    public func confirm(_ pin: borrowing Secret) throws(TokenError) {
        let pin = pin.copy()
        try requirePossible(pin)
        try transaction(.acting) { () throws(TokenError) in
            guard let role = login else { throw .notLoggedIn }
            do throws(TokenError) { try verify(role, pin) } catch {
                restoreRight(after: error)
                throw error
            }
        }
    }

    /// Gives up the right that ``logIn(as:pin:)`` gave. Even if the card cannot be told, nobody is logged in after it.
    public func logOut() throws(TokenError) {
        guard let role = login else { return }
        forgetLogin()
        try transaction(.acting) { () throws(TokenError) in
            try resetRight(of: role.rawValue)
        }
    }

    /// Gives a PIN a new value.
    ///
    /// - Parameter old: The present value; empty if whoever is logged in does not say it again.
    public func changePIN(of role: Role, from old: borrowing Secret, to new: borrowing Secret) throws(TokenError) {
        let old = old.copy()
        let new = new.copy()
        try requireLength(of: new)
        try transaction { () throws(TokenError) in
            if old.isEmpty {
                try requireLogin(role)
                try changePIN(of: role, to: new)
            } else {
                try presenting(old, of: role) { () throws(TokenError) in try changePIN(of: role, to: new) }
            }
            if retainedPIN != nil, login == role { retainedPIN = new.copy() }
        }
    }

    /// Gives User's PIN a value and all its tries. Needs the SO's login, and a token that lets the SO do it.
    public func resetUserPIN(to new: borrowing Secret) throws(TokenError) {
        let new = new.copy()
        try requireLength(of: new)
        try transaction { () throws(TokenError) in
            try requireLogin(.securityOfficer)
            try resetUserTries()
            try changePIN(of: .user, to: new)
        }
    }

    /// Runs `body` with the right that a PIN gives, which is taken for it alone.
    func presenting(
        _ pin: borrowing Secret, of role: Role, _ body: () throws(TokenError) -> Void
    ) throws(TokenError) {
        try requirePossible(pin)
        do throws(TokenError) {
            try verify(role, pin)
        } catch {
            if login == role { restoreRight(after: error) }
            throw error
        }
        defer { if login != role, !returnsRights { try? resetRight(of: role.rawValue) } }
        try body()
    }

    /// The card had to drop the right of whoever is logged in, to look at a PIN that it did not take. The retained PIN
    /// takes it back; without one, nobody is logged in any more.
    private func restoreRight(after error: TokenError) {
        guard !returnsRights else { return }
        guard error == .pinIncorrect else { return forgetLogin() }
        try? presentRetainedPIN()
    }

    /// CHANGE REFERENCE DATA of a PIN; see `change(_:to:)`.
    func changePIN(of role: Role, to value: borrowing Secret) throws(TokenError) {
        try change(role.rawValue, to: value)
    }

    /// CHANGE REFERENCE DATA with a PIN as text. The card knows how short it may be.
    ///
    /// - Parameter reference: The number of a global PIN; 0 for the selected file.
    func change(_ reference: UInt8, to value: borrowing Secret) throws(TokenError) {
        let count = UInt8(truncatingIfNeeded: value.count)
        let data = Secret(copying: [0x80, 0x02, 0x00, count, 0xA6, count]).appending(value.bytes)
        do throws(TokenError) {
            try perform(Command(0x00, 0x24, 0x01, reference, data: data))
        } catch {
            throw error == .refused(.incorrectData) ? .pinLength : error
        }
    }

    func requireLength(of pin: borrowing Secret) throws(TokenError) {
        guard (1...PINState().maximumLength).contains(pin.count) else { throw .pinLength }
    }

    /// Forgets who was logged in, without a word to the card.
    public func forgetLogin() {
        mustPresentPIN = false
        login = nil
        retainedPIN = nil
        cache = nil
        objectsBefore = nil
    }

    /// VERIFY of a global PIN.
    func verify(_ role: Role, _ pin: borrowing Secret) throws(TokenError) {
        do throws(TokenError) { try present(pin, as: role.rawValue) } catch {
            // The card may have taken what it could not confirm.
            if case .link = error, returnsRights { heldRights.insert(role) }
            throw error
        }
        if returnsRights { heldRights.insert(role) }
    }

    /// What no PIN can be is not sent, and spends no try: without data the command asks for something else.
    private func requirePossible(_ pin: borrowing Secret) throws(TokenError) {
        guard (1...PINState().maximumLength).contains(pin.count) else { throw .pinIncorrect }
    }

    /// VERIFY.
    ///
    /// - Parameter reference: 01 the SO's, 02 User's, 80 + N local PIN N.
    func present(_ pin: borrowing Secret, as reference: UInt8) throws(TokenError) {
        try requirePossible(pin)
        try proveIdentity()
        var status = try send(Command(0x00, 0x20, 0x00, reference, data: pin.copy())).status
        if status == .alreadyVerified {
            // Another process holds the right, so that the card did not look at this PIN.
            try resetRight(of: reference & 0x1F)
            status = try send(Command(0x00, 0x20, 0x00, reference, data: pin.copy())).status
        }
        switch status {
        case .success: return
        case .verificationFailed: throw .pinIncorrect
        case _ where status.triesLeft != nil: throw .pinIncorrect
        default: throw TokenError(status)
        }
    }

    /// RESET RIGHTS of one PIN.
    func resetRight(of number: UInt8) throws(TokenError) {
        try perform(Command(0x80, 0x40, 0x00, number))
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
