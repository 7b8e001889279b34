// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
package import Secrets
import Token

extension Session {
    /// Logs in to the token, for all sessions of this application with it; or lets the key of the operation that was begun
    /// last be used once.
    package func logIn(_ user: CK_USER_TYPE, pin: borrowing Secret) throws(CKError) {
        let role = try requireLoginPossible(as: user)
        let pin = pin.copy()
        let check = { () throws(CKError) in _ = try self.requireLoginPossible(as: user) }
        guard let role else {
            try slot.withToken(checking: check) { token throws(TokenError) in try token.confirm(pin) }
            authentication?.isGiven = true
            return
        }
        try slot.withToken(checking: check) { token throws(TokenError) in try token.logIn(as: role, pin: pin) }
    }

    /// Makes sure that the right PIN would log in.
    ///
    /// - Returns: The role; nil for one use of a key.
    @discardableResult func requireLoginPossible(as user: CK_USER_TYPE) throws(CKError) -> Token.Role? {
        let role: Token.Role
        switch user {
        case CKU_USER: role = .user
        case CKU_SO: role = .securityOfficer
        case CKU_CONTEXT_SPECIFIC:
            guard let authentication, !authentication.isGiven else { throw .operationNotInitialised }
            return nil
        default: throw .userTypeInvalid
        }
        if let login = slot.login {
            throw login == role ? .userAlreadyLoggedIn : .userAnotherAlreadyLoggedIn
        }
        guard role == .user || !slot.hasReadOnlySession else { throw .sessionReadOnlyExists }
        return role
    }

    /// Ends the login. It hides private objects, and destroys those of sessions.
    package func logOut() throws(CKError) {
        guard slot.login != nil else { throw .userNotLoggedIn("no user is logged in") }
        slot.loginEnded()
        // A token that is away loses the right with its session. It is not waited for.
        if case .waitingForToken = slot.presence { return slot.forgetLogin() }
        do throws(CKError) {
            try slot.withToken(waits: false) { token throws(TokenError) in try token.logOut() }
        } catch {
            guard case .waitingForToken = slot.presence else { throw error }
        }
    }
}

extension Session {
    /// Gives User's PIN its first value, or a new one.
    ///
    /// - Throws: The errors of ``requireInitPINPossible()``, before anything is changed.
    package func initPIN(_ pin: borrowing Secret) throws(CKError) {
        try requireInitPINPossible()
        let pin = pin.copy()
        try slot.withToken { token throws(TokenError) in try token.resetUserPIN(to: pin) }
    }

    /// - Throws: `CKR_FUNCTION_REJECTED` where the token's policy does not let the SO change the PIN.
    func requireInitPINPossible() throws(CKError) {
        try requirePINsChangeable()
        guard slot.login == .securityOfficer else { throw .userNotLoggedIn("the SO must be logged in") }
        try slot.withToken { token throws(TokenError) in try token.requireUserPINResettable() }
    }

    /// PINs are set in a session for writing only.
    func requirePINsChangeable() throws(CKError) {
        guard isReadWrite else { throw .sessionReadOnly("a PIN is to be set") }
    }

    /// Changes the PIN of the logged-in user, or User's without a login.
    ///
    /// - Parameter old: The present value. It may be empty only during a login.
    package func setPIN(old: borrowing Secret, new: borrowing Secret) throws(CKError) {
        try requirePINsChangeable()
        let role = slot.login ?? .user
        let old = old.copy()
        let new = new.copy()
        try slot.withToken { token throws(TokenError) in try token.changePIN(of: role, from: old, to: new) }
    }
}
