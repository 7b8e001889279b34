// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Locking
import Token
import Translation

extension Token {
    /// Whether `kanal.conf` names an authenticator, which ``askForPIN(of:for:after:)`` has the user asked by.
    public var hasAuthenticator: Bool { service.library.asksForPINs }

    /// Has the user asked for a PIN by the authenticator of `kanal.conf`, a program such as pinentry. The question
    /// names the token, this program, and the tries that are left. The token is not locked in the meantime: other
    /// callers can use it.
    ///
    /// - Parameters:
    ///   - role: Whose PIN.
    ///   - purpose: The purpose of the PIN, as a part of a sentence, such as "to sign a contract".
    ///   - refusal: How the work ended with the last answer; ``KanalError/pinIncorrect(triesLeft:)`` is shown.
    /// - Throws: ``KanalError/cancelled`` if the user says no, ``KanalError/askingFailed(_:)``,
    ///   ``KanalError/authenticatorNotInstalled(_:)``, ``KanalError/authenticatorNotConfigured``,
    ///   ``KanalError/pinLocked``, ``KanalError/tokenAbsent``. Cancelling the task ends the wait at once; the question
    ///   stays until it is answered, and the answer is discarded.
    public func askForPIN(
        of role: Role = .user, for purpose: String = "to log in", after refusal: KanalError? = nil
    ) async throws(KanalError) -> PIN {
        var error: CKError?
        if case .pinIncorrect? = refusal { error = .pinIncorrect }
        let pin = try await working(on: Worker(), cancellation: .abandons) { [self, error] () throws(KanalError) in
            let slot = state.withLock { $0.slot }
            return try translated { () throws(CKError) in
                try service.library.askForPIN(
                    of: role == .user ? .user : .securityOfficer, for: Phrase(key: purpose), in: slot, after: error)
            }
        }
        return PIN(pin)
    }
}
