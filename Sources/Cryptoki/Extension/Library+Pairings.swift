// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Locking
package import SecureChannel
package import Token

/// Pairings, as the token and as this machine know them.
extension Library {
    /// The hosts that the token in a slot is paired with, by the token's own list. Takes no session and no login.
    ///
    /// - Throws: `CKR_FUNCTION_NOT_SUPPORTED` if the token is used without a channel, or is not activated.
    package func pairedHosts(in slot: CK_SLOT_ID) throws(CKError) -> [PairedHost] {
        let hosts = try withToken(in: slot) { token throws(TokenError) -> [PairedHost]? in
            token.isActivated && !token.isProtected ? nil : try token.pairedHosts()
        }
        guard let hosts else { throw .withoutChannel }
        return hosts
    }

    /// The tokens that this user is paired with on this machine, the youngest pairing first. No token need be there.
    package func pairedTokens() throws(CKError) -> [PairedToken] {
        do { return try settings.pairedTokens() } catch { throw CKError(error) }
    }

    /// Forgets a token on this machine, so that it must be activated again. This application's sessions with it end.
    /// The token is not told: it lists this host until it is removed there.
    ///
    /// - Parameter serial: 8 bytes.
    /// - Throws: `CKR_OBJECT_HANDLE_INVALID` without a pairing with such a token.
    package func removePairings(withToken serial: [UInt8]) throws(CKError) {
        do { try settings.removePairings(withToken: serial) } catch {
            guard error == .notFound else { throw CKError(error) }
            throw .objectHandleInvalid("there is no pairing with a token of this serial number")
        }
        closeSessions(withToken: serial)
    }
}

extension Session {
    /// Has the token forget a host, all of whose channels end. This host needs no login for its own pairing: that goes on
    /// both sides, and all sessions of this application with the token end. Any other host takes the SO's login.
    ///
    /// - Throws: `CKR_OBJECT_HANDLE_INVALID` if the token has no such host any more.
    package func removePairedHost(_ id: PairedHost.ID) throws(CKError) {
        guard slot.turn.state?.isProtected == true else { throw .withoutChannel }
        guard isReadWrite else { throw .sessionReadOnly("a pairing of the token is to be removed") }
        var removed: PairedHost?
        do throws(CKError) {
            removed = try slot.withToken { token throws(TokenError) in try token.unpair(id) }
        } catch {
            // The token may have forgotten this host, though its part could not be removed here.
            if slot.turn.state?.isProtected == false { slot.end(as: .normal) }
            guard error == CKError(CKR_USER_NOT_LOGGED_IN) else { throw error }
            throw .userNotLoggedIn("another host's pairing is removed by the SO alone")
        }
        guard let removed else { throw .objectHandleInvalid("the token has no such host any more") }
        if removed.isSelf { slot.end(as: .normal) }
    }
}

extension CKError {
    fileprivate static var withoutChannel: CKError {
        CKError(CKR_FUNCTION_NOT_SUPPORTED, "the token is used without a secure channel, and is paired with no host")
    }

    fileprivate static func objectHandleInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_OBJECT_HANDLE_INVALID, reason())
    }
}
