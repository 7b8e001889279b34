// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Token

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
    /// The user's consent to the next use of a private key.
    var consent = KeyUseConsent()

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

    /// Makes sure that the token is there, without a command; one that is away is waited for.
    package func requirePresence() throws(CKError) {
        try slot.withToken { token throws(TokenError) in try token.requirePresence() }
    }

    /// The serial number of the token, as far as it told it; see `Token.serial`.
    package var tokenSerial: [UInt8] { slot.turn.state?.serial ?? [] }

    /// The session's flags (`CKF_`).
    package var flags: CK_FLAGS { CKF_SERIAL_SESSION | (isReadWrite ? CKF_RW_SESSION : 0) }
}
