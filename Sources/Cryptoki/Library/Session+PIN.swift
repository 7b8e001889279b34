package import Secrets
import Token

extension Session {
    /// Gives User's PIN its first value, or a new one.
    package func initPIN(_ pin: borrowing Secret) throws(CKError) {
        guard isReadWrite else { throw .sessionReadOnly("a PIN is to be set") }
        guard slot.login == .securityOfficer else { throw .userNotLoggedIn("the SO must be logged in") }
        let pin = pin.copy()
        try slot.withToken { token throws(TokenError) in try token.resetUserPIN(to: pin) }
    }

    /// Changes the PIN of the one who is logged in, or User's if nobody is.
    ///
    /// - Parameter old: The present value. It may be empty only during a login.
    package func setPIN(old: borrowing Secret, new: borrowing Secret) throws(CKError) {
        guard isReadWrite else { throw .sessionReadOnly("a PIN is to be set") }
        let role = slot.login ?? .user
        let old = old.copy()
        let new = new.copy()
        try slot.withToken { token throws(TokenError) in try token.changePIN(of: role, from: old, to: new) }
    }
}
