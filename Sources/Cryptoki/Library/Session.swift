// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
package import Secrets
import SecureChannel
import Token
import Tokens

/// One session of this application with a token (PKCS #11 v2.40, 2.6 in the usage guide).
///
/// Valid inside `Library.withSession` only, where no other thread has it. It has a property for each kind of operation,
/// since the standard lets one of each be active at once.
package final class Session {
    let handle: CK_SESSION_HANDLE
    let isReadWrite: Bool
    unowned let slot: Slot

    var search: Search?
    var digest: MessageDigest?
    var signature: SignatureOperation?
    var verification: SignatureOperation?
    var signRecovery: RecoveryOperation?
    var verifyRecovery: RecoveryOperation?
    /// The authentication that the last operation's key needs.
    weak var authentication: Authentication?
    var encryption: CipherOperation?
    var decryption: CipherOperation?
    var messageVerification: MessageVerification?
    /// Whether it was closed with all others while a call of it waited for the token.
    var isClosed = false

    init(handle: CK_SESSION_HANDLE, isReadWrite: Bool, slot: Slot) {
        self.handle = handle
        self.isReadWrite = isReadWrite
        self.slot = slot
    }

    /// Operations with private and secret keys end with the login.
    func loginEnded() {
        signature = nil
        signRecovery = nil
        encryption = nil
        decryption = nil
        if verification?.key.isPrivate == true { verification = nil }
        if verifyRecovery?.key.isPrivate == true { verifyRecovery = nil }
    }

    /// The operations that are active (`CKF_`).
    package var activeOperations: CK_FLAGS {
        var flags: CK_FLAGS = 0
        if encryption != nil { flags |= CKF_ENCRYPT }
        if decryption != nil { flags |= CKF_DECRYPT }
        if digest != nil { flags |= CKF_DIGEST }
        if signature != nil { flags |= CKF_SIGN }
        if signRecovery != nil { flags |= CKF_SIGN_RECOVER }
        if verification != nil { flags |= CKF_VERIFY }
        if verifyRecovery != nil { flags |= CKF_VERIFY_RECOVER }
        if search != nil { flags |= CKF_FIND_OBJECTS }
        return flags
    }

    /// Ends the operations that `flags` name (`CKF_`), where there are any (PKCS #11 v3.0, 5.6.13).
    package func cancel(_ flags: CK_FLAGS) {
        if flags & CKF_ENCRYPT != 0 { encryption = nil }
        if flags & CKF_DECRYPT != 0 { decryption = nil }
        if flags & CKF_DIGEST != 0 { digest = nil }
        if flags & CKF_SIGN != 0 { signature = nil }
        if flags & CKF_SIGN_RECOVER != 0 { signRecovery = nil }
        if flags & CKF_VERIFY != 0 { verification = nil }
        if flags & CKF_VERIFY_RECOVER != 0 { verifyRecovery = nil }
        if flags & CKF_FIND_OBJECTS != 0 { search = nil }
    }

    /// The session's state (`CKS_`).
    package var state: CK_STATE {
        switch (slot.login, isReadWrite) {
        case (nil, false): CKS_RO_PUBLIC_SESSION
        case (.user, false): CKS_RO_USER_FUNCTIONS
        case (nil, true): CKS_RW_PUBLIC_SESSION
        case (.user, true): CKS_RW_USER_FUNCTIONS
        case (.securityOfficer, _): CKS_RW_SO_FUNCTIONS
        }
    }

    /// Makes sure that the token is there, without a command; waits for an absent token.
    package func requirePresence() throws(CKError) {
        try slot.withToken { token throws(TokenError) in try token.requirePresence() }
    }

    /// The session's flags (`CKF_`).
    package var flags: CK_FLAGS { CKF_SERIAL_SESSION | (isReadWrite ? CKF_RW_SESSION : 0) }
}

extension Session {
    /// Makes sure that the right PIN would log in.
    ///
    /// - Returns: The role; nil for one use of a key.
    @discardableResult func requireLoginPossible(as user: CK_USER_TYPE) throws(CKError) -> ConnectedToken.Role? {
        let role: ConnectedToken.Role
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

    /// Ends the login. It hides private objects, and destroys private session objects.
    package func logOut() throws(CKError) {
        guard slot.login != nil else { throw .userNotLoggedIn("no user is logged in") }
        slot.loginEnded()
        try tokensError { () throws(TokensError) in try slot.place.logOut() }
    }
}

extension Session {
    /// Sets User's PIN, for the first time or again.
    ///
    /// - Throws: The errors of ``requireInitPINPossible()``, before anything is changed.
    package func initPIN(_ pin: borrowing Secret) throws(CKError) {
        try requireInitPINPossible()
        let pin = pin.copy()
        try slot.withToken { token throws(TokenError) in try token.resetUserPIN(to: pin) }
    }

    /// The same with a PIN that the user types at the reader.
    func initPINAtReader() throws(CKError) {
        try requireInitPINPossible()
        try slot.withToken { token throws(TokenError) in try token.resetUserPINAtReader() }
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
        try tokensError { () throws(TokensError) in try slot.place.changePIN(of: role, from: old, to: new) }
    }
}

extension Session {
    /// The same with a new PIN that the user types at the reader, and with the present one if it is nil.
    func setPINAtReader(old: SharedSecret?) throws(CKError) {
        try requirePINsChangeable()
        let role = slot.login ?? .user
        try tokensError { () throws(TokensError) in try slot.place.changePINAtReader(of: role, from: old) }
    }
}

/// The token's name, its licences, and the SO's functions for User, of the vendor's extension.
extension Session {
    /// Restores all tries of User's PIN; the PIN stays. Only the SO can.
    package func unblockUserPIN() throws(CKError) {
        try tokensError { () throws(TokensError) in try slot.place.unblockUserPIN() }
    }

    /// Names the token, or removes its name. Only User can.
    ///
    /// - Parameter name: UTF-8, 0 to 255 bytes.
    package func setTokenName(_ name: [UInt8]) throws(CKError) {
        guard isReadWrite else { throw .sessionReadOnly("the token's name is to be changed") }
        try tokensError { () throws(TokensError) in try slot.place.setName(name) }
    }

    /// The token's whole name, UTF-8; nil if it has none.
    package func tokenName() throws(CKError) -> [UInt8]? {
        try slot.withToken { token throws(TokenError) in try token.info(evicting: true).label }
    }

    /// Writes a licence. Either login will do.
    package func setLicence(_ number: CK_ULONG, to licence: [UInt8]) throws(CKError) {
        try tokensError { () throws(TokensError) in try slot.place.setLicence(Int(clamping: number), to: licence) }
    }

    /// A licence; zeros if none was written.
    package func licence(_ number: CK_ULONG) throws(CKError) -> [UInt8] {
        try tokensError { () throws(TokensError) in try slot.place.licence(Int(clamping: number)) }
    }

    /// - Throws: `CKR_ARGUMENTS_BAD` for a number that no token has.
    package static func checkLicence(_ number: CK_ULONG) throws(CKError) {
        try tokensError { () throws(TokensError) in try TokenSlot.checkLicence(Int(clamping: number)) }
    }

    // MARK: C_EX_TokenManage

    /// The SO manages User's PIN only.
    func requireManaged(_ user: CK_USER_TYPE) throws(CKError) {
        guard user == CKU_USER else { throw .argumentsBad("the user is \(user), and must be CKU_USER") }
        try requireLogin(.securityOfficer)
    }

    /// Makes the standard value of a PIN its default again. The PIN stays.
    package func restoreStandardPIN(of user: CK_USER_TYPE) throws(CKError) {
        try requireManaged(user)
        try slot.withToken { token throws(TokenError) in try token.setDefaultUserPIN(to: Secret(count: 0)) }
    }

    /// Resets a PIN to its default value.
    ///
    /// - Throws: `CKR_FUNCTION_REJECTED` where the token's policy does not let the SO change the PIN.
    package func resetPINToDefault(of user: CK_USER_TYPE) throws(CKError) {
        try requireManaged(user)
        try slot.withToken { token throws(TokenError) in try token.resetUserPINToDefault() }
    }

    /// Sets the default that ``resetPINToDefault(of:)`` restores. The PIN stays.
    package func setDefaultPIN(of user: CK_USER_TYPE, to pin: borrowing Secret) throws(CKError) {
        try requireManaged(user)
        guard (6...32).contains(pin.count) else { throw .pinLengthRange }
        let pin = pin.copy()
        try slot.withToken { token throws(TokenError) in try token.setDefaultUserPIN(to: pin) }
    }

    /// Has the token remember that a PIN must be changed, until it is.
    package func forcePINChange(of user: CK_USER_TYPE) throws(CKError) {
        try requireManaged(user)
        try slot.withToken { token throws(TokenError) in try token.forceUserPINChange() }
    }

    private func requireLogin(_ role: ConnectedToken.Role) throws(CKError) {
        guard slot.login == role else {
            throw .userNotLoggedIn(role == .user ? "User must be logged in" : "the SO must be logged in")
        }
    }
}

/// A new activation password, as an application asks for it.
package struct ActivationPasswordRequest: Sendable {
    let slot: UInt8
    let charset: SecureChannel.Charset

    /// The symbols of the password as it is printed, `XXXX-XXXX-XXXX-XXXX`.
    package let length = 19
}

extension Session {
    /// Checks whether an activation password may be made here.
    ///
    /// - Parameters:
    ///   - number: 1 to 6, or 0 for the first that the token has no password for.
    ///   - characters: `CAPS_AND_DIGITS` or `CAPS_ONLY`.
    /// - Throws: `CKR_FUNCTION_NOT_SUPPORTED` on a token that is used without channel, with any login.
    package func activationPasswordRequest(
        number: CK_ULONG, characters: CK_ULONG
    ) throws(CKError) -> ActivationPasswordRequest {
        guard number <= 6, let charset = UInt8(exactly: characters).flatMap(SecureChannel.Charset.init(rawValue:))
        else {
            throw .argumentsBad("there is no password \(number), or no characters \(characters)")
        }
        guard slot.token?.isProtected == true else { throw .functionNotSupported }
        guard isReadWrite else { throw .sessionReadOnly("a password of the token is to be made") }
        guard slot.login == .securityOfficer else { throw .userNotLoggedIn("the SO must be logged in") }
        return ActivationPasswordRequest(slot: UInt8(truncatingIfNeeded: number), charset: charset)
    }

    /// Has the token make an activation password, in place of the one with the same number.
    ///
    /// - Returns: The password as it is printed. It cannot be asked for again.
    package func generateActivationPassword(_ request: ActivationPasswordRequest) throws(CKError) -> Secret {
        try tokensError { () throws(TokensError) in
            try slot.place.generateActivationPassword(number: request.slot, charset: request.charset)
        }
    }
}
