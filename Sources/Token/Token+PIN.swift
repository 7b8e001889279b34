import APDU
import Logging
public import Secrets

extension Token {
    /// Presents a PIN (VERIFY). Spends a try if it is wrong; a PIN that no token can have spends none.
    public func logIn(as role: Role, pin: borrowing Secret) throws(TokenError) {
        guard (1...PINState().maximumLength).contains(pin.count) else { throw .pinIncorrect(triesLeft: nil) }
        let pin = pin.copy()
        try transaction { () throws(TokenError) in
            try verify(role, pin)
            login = role
            cache = nil
            if case .paired = protection, settings.pinRetention == .session { retainedPIN = RetainedSecret(copying: pin) }
        }
    }

    /// Gives up the right that ``logIn(as:pin:)`` gave.
    public func logOut() throws(TokenError) {
        guard let role = login else { return }
        forgetLogin()
        _ = try transaction { () throws(TokenError) in
            try perform(Command(0x80, 0x40, 0x00, role.rawValue))
        }
    }

    /// Forgets who was logged in, without a word to the card.
    func forgetLogin() {
        mustPresentPIN = false
        login = nil
        retainedPIN = nil
        cache = nil
    }

    /// Presents the retained PIN in a channel that was opened anew: once, and whatever goes wrong ends the login
    /// (gsc1, 15.3). Without a retained PIN the login has ended with the channel.
    func presentRetainedPIN() throws(TokenError) {
        mustPresentPIN = false
        guard let role = login, let pin = retainedPIN?.copy() else { return forgetLogin() }
        // The presentation is no part of the call, which may be repeated after it.
        let hadActed = hasActed
        defer { hasActed = hadActed }
        do throws(TokenError) {
            try verify(role, pin)
        } catch {
            forgetLogin()
            settings.log.warning("the PIN was not taken again: the login is over", metadata: ["reader": "\(reader)"])
            throw .notLoggedIn
        }
    }

    /// What the token tells of a PIN's length limits and tries (GET DATA 0101, 0102).
    func pinState(of role: Role) throws(TokenError) -> PINState {
        let answer = try perform(Command(0x00, 0xCA, 0x01, role.rawValue, ne: 0x26))
        guard let template = try? FileTemplate(parsing: answer), template.properties.count == 6,
            template.access.count == 15
        else { throw .malformedAnswer }
        var state = PINState()
        state.minimumLength = Int(template.properties[1])
        state.isUTF8 = template.properties[2] & 0x80 != 0
        state.isChanged = template.properties[2] & 0x04 != 0
        state.tries = Int(template.properties[3] >> 4)
        state.triesLeft = Int(template.properties[3] & 0x0F)
        state.changePolicy = template.access[2] & 0x03
        return state
    }

    private func verify(_ role: Role, _ pin: borrowing Secret) throws(TokenError) {
        var status = try send(Command(0x00, 0x20, 0x00, role.rawValue, data: pin.copy())).status
        if status == .alreadyVerified {
            // Another process holds the right, so that the card did not look at this PIN.
            try perform(Command(0x80, 0x40, 0x00, role.rawValue))
            status = try send(Command(0x00, 0x20, 0x00, role.rawValue, data: pin.copy())).status
        }
        switch status {
        case .success: return
        case .verificationFailed: throw .pinIncorrect(triesLeft: try? triesLeft(of: role))
        case _ where status.triesLeft != nil: throw .pinIncorrect(triesLeft: status.triesLeft)
        default: throw TokenError(status)
        }
    }

    /// The answer to VERIFY without data: 63Cx, or 6983 when there are none.
    private func triesLeft(of role: Role) throws(TokenError) -> Int {
        let status = try send(Command(0x00, 0x20, 0x00, role.rawValue)).status
        if status == .authenticationBlocked { return 0 }
        guard let tries = status.triesLeft else { throw .malformedAnswer }
        return tries
    }
}
