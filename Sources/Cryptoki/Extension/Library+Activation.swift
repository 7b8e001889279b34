// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Locking
import SecureChannel
import Token

extension Library {
    /// Activates the secure channel of the token with a password, as the user typed it. An impossible password is
    /// refused before anything reaches the token.
    ///
    /// - Throws: `CKR_SESSION_EXISTS` while a session with the token is open.
    package func activate(_ slot: CK_SLOT_ID, password: Span<UInt8>) throws(CKError) {
        let slot = try entry(slot).slot
        let password = try Self.password(password)
        try slot.withLock { slot throws(CKError) in
            try slot.withToken(checking: slot.requireNoSession) { token throws(TokenError) in
                try token.activate(with: password)
            }
        }
    }

    private static func password(_ text: Span<UInt8>) throws(CKError) -> ActivationPassword {
        do { return try ActivationPassword(text) } catch { throw CKError(.channel(error)) }
    }
}
