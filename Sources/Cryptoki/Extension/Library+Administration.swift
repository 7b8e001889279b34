// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import Locking
package import Secrets
package import SecureChannel
package import Token
import Tokens

/// The functions of the vendor's extension that need no session.
extension Library {
    /// The record of the token's last GOST signature, BER; empty before the first one.
    package func journal(in slot: CK_SLOT_ID) throws(CKError) -> [UInt8] {
        try withToken(in: slot) { token throws(TokenError) in try token.journal() ?? [] }
    }

    /// Sets a local PIN.
    ///
    /// - Parameters:
    ///   - serial: The token that is meant; nil for any token in the slot.
    ///   - present: Its present value; User's PIN if it has none.
    /// - Throws: `CKR_ARGUMENTS_BAD` for a number that no local PIN has.
    package func setLocalPIN(
        _ number: CK_ULONG, in slot: CK_SLOT_ID, ofToken serial: [UInt8]? = nil, to new: borrowing Secret,
        presenting present: borrowing Secret
    ) throws(CKError) {
        let new = new.copy()
        let present = present.copy()
        try tokens { slots throws(TokensError) in
            try slots.setLocalPIN(
                Int(clamping: number), in: Int(clamping: slot), ofToken: serial, to: new, presenting: present)
        }
    }

    /// Limits and tries of a local PIN.
    ///
    /// - Throws: `CKR_ARGUMENTS_BAD` for a number that no local PIN has; `CKR_DEVICE_ERROR` if it has no value.
    package func localPIN(_ number: CK_ULONG, in slot: CK_SLOT_ID) throws(CKError) -> PINState {
        try tokens { slots throws(TokensError) in try slots.localPIN(Int(clamping: number), in: Int(clamping: slot)) }
    }

    /// Whether a PIN must be changed before it is used for anything else.
    ///
    /// - Throws: `CKR_ARGUMENTS_BAD` for other users than the SO and User.
    package func mustChangePIN(of user: CK_USER_TYPE, in slot: CK_SLOT_ID) throws(CKError) -> Bool {
        guard user == CKU_USER || user == CKU_SO else {
            throw .argumentsBad("the user \(user) is neither User nor SO")
        }
        let isForced = try tokens { slots throws(TokensError) in
            try slots.mustChangeUserPIN(in: Int(clamping: slot))
        }
        return isForced && user == CKU_USER
    }

    /// The name of the token's model, UTF-8; nil if its firmware does not know it.
    package func modelName(in slot: CK_SLOT_ID) throws(CKError) -> [UInt8]? {
        try withToken(in: slot) { token throws(TokenError) in try token.modelName() }
    }

    /// The size of the token's drive in megabytes.
    ///
    /// - Throws: `CKR_FUNCTION_NOT_SUPPORTED` if it has none.
    package func driveSize(in slot: CK_SLOT_ID) throws(CKError) -> Int {
        guard let size = try withToken(in: slot, { token throws(TokenError) in try token.driveSize() }) else {
            throw .functionNotSupported
        }
        return size
    }

    /// The volumes of the token's drive.
    ///
    /// - Throws: `CKR_FUNCTION_NOT_SUPPORTED` if it has none.
    package func volumes(in slot: CK_SLOT_ID) throws(CKError) -> [TokenVolume] {
        guard let volumes = try withToken(in: slot, { token throws(TokenError) in try token.volumes() }) else {
            throw .functionNotSupported
        }
        return volumes
    }

    func withToken<Result: Sendable>(
        in id: CK_SLOT_ID, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(CKError) -> Result {
        try tokens { slots throws(TokensError) in try slots.withToken(in: Int(clamping: id), body) }
    }
}

extension Library {
    /// Activates the secure channel of the token with a password, as the user typed it. An impossible password is
    /// refused before anything reaches the token.
    ///
    /// - Throws: `CKR_SESSION_EXISTS` while a session with the token is open.
    package func activate(_ slot: CK_SLOT_ID, password: Span<UInt8>) throws(CKError) {
        do throws(TokensError) { try tokens.activate(Int(clamping: slot), password: password) } catch {
            throw CKError(error)
        }
    }
}

/// Pairings, as the token and as this machine know them.
extension Library {
    /// The hosts that the token in a slot is paired with, by the token's own list. Needs no session and no login.
    ///
    /// - Throws: `CKR_FUNCTION_NOT_SUPPORTED` if the token is used without a channel, or is not activated.
    package func pairedHosts(in slot: CK_SLOT_ID) throws(CKError) -> [PairedHost] {
        try tokens { slots throws(TokensError) in try slots.pairedHosts(in: Int(clamping: slot)) }
    }

    /// The tokens that this user is paired with on this machine, the youngest pairing first. No token need be there.
    package func pairedTokens() throws(CKError) -> [PairedToken] {
        try tokens { slots throws(TokensError) in try slots.pairedTokens() }
    }

    /// Forgets a token on this machine, so that it must be activated again. This application's sessions with it end.
    /// The token is not changed: it lists this host until it is removed there.
    ///
    /// - Parameter serial: 8 bytes.
    /// - Throws: `CKR_OBJECT_HANDLE_INVALID` without a pairing with such a token.
    package func removePairings(withToken serial: [UInt8]) throws(CKError) {
        try tokens { slots throws(TokensError) in try slots.removePairings(withToken: serial) }
        try closeSessions(withToken: serial)
    }
}

extension Session {
    /// Has the token forget a host, all of whose channels end. This host needs no login for its own pairing: that goes on
    /// both sides, and all sessions of this application with the token end. Any other host needs the SO's login.
    ///
    /// - Throws: `CKR_OBJECT_HANDLE_INVALID` if the token has no such host any more.
    package func removePairedHost(_ id: PairedHost.ID) throws(CKError) {
        guard slot.token?.isProtected == true else { throw CKError(.withoutChannel) }
        guard isReadWrite else { throw .sessionReadOnly("a pairing of the token is to be removed") }
        do throws(CKError) {
            try tokensError { () throws(TokensError) in try slot.place.removePairedHost(id) }
        } catch {
            guard error == CKError(CKR_USER_NOT_LOGGED_IN) else { throw error }
            throw .userNotLoggedIn("another host's pairing is removed by the SO alone")
        }
    }
}
