// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Secrets

extension Session {
    /// Changes the PIN of the session's role: the user's, or the security officer's.
    ///
    /// - Throws: ``KanalError/pinIncorrect(triesLeft:)`` for a wrong present PIN, ``KanalError/pinLength`` for a new one that
    ///   the token does not take.
    public func changePIN(from present: borrowing PIN, to new: borrowing PIN) throws(KanalError) {
        let (present, new) = (present.secret, new.secret)
        do throws(KanalError) {
            try call { session throws(CKError) in try session.setPIN(old: present.secret, new: new.secret) }
        } catch {
            guard error == .pinIncorrect(triesLeft: nil) else { throw error }
            throw .pinIncorrect(triesLeft: token.triesLeft(of: role, in: slot))
        }
        if role == .user { token.keep(new) }
    }

    /// Gives the user a PIN, with all its tries. For the security officer, on a token that was formatted so that the officer
    /// may do this.
    public func setUserPIN(_ pin: borrowing PIN) throws(KanalError) {
        let pin = pin.secret
        try call { session throws(CKError) in try session.initPIN(pin.secret) }
    }

    /// Gives the user's PIN all its tries; the PIN stays. For the security officer.
    public func unblockUserPIN() throws(KanalError) {
        try call { session throws(CKError) in try session.unblockUserPIN() }
    }

    /// Has the token make an activation password, in place of the one with the same number. It cannot be asked for again.
    /// For the security officer.
    ///
    /// - Parameters:
    ///   - number: 1 to 6; nil for the first that the token has no password for.
    ///   - characters: The characters of the password.
    public func generateActivationPassword(
        number: Int? = nil, of characters: PasswordCharacters = .capitalsAndDigits
    ) throws(KanalError) -> ActivationPassword {
        let number = CK_ULONG(clamping: number ?? 0)
        let characters = characters == .capitals ? CAPS_ONLY : CAPS_AND_DIGITS
        return ActivationPassword(
            try call { session throws(CKError) in
                let request = try session.activationPasswordRequest(number: number, characters: characters)
                return SharedSecret(try session.generateActivationPassword(request))
            })
    }

    /// Names the token; an empty name takes its name away.
    public func setLabel(_ label: String) throws(KanalError) {
        try call { session throws(CKError) in try session.setTokenName(Array(label.utf8)) }
    }
}

/// The symbols of an activation password.
public enum PasswordCharacters: Sendable, Equatable {
    /// Capital letters without O, and digits without 0.
    case capitalsAndDigits
    /// Capital letters.
    case capitals
}
