// SPDX-License-Identifier: Apache-2.0

import Locking
import Secrets
import SecureChannel
import Token
import Tokens

/// A token that is being worked with, inside `Token.perform`.
///
/// Its functions block until the token has answered. A session cannot be stored or leave the block; nested functions of
/// the block may use it, and closures that are passed on at once. A closure that is kept in a constant may not: make it a
/// nested function.
public struct Session: ~Escapable {
    let tokenSession: TokenSession
    let token: Token
    let role: Role

    /// - Parameter token: The owner of the session; this value is lent to a block.
    @_lifetime(borrow token)
    init(_ session: TokenSession, of token: borrowing Token, role: Role) {
        tokenSession = session
        self.token = copy token
        self.role = role
    }

    /// The slot where the token is.
    var slot: Int { tokenSession.slot }

    /// Runs `body` with the driver's session.
    func call<Result: ~Copyable>(
        _ body: (TokenSession) throws(TokensError) -> Result
    ) throws(KanalError) -> Result {
        do throws(TokensError) { return try body(tokenSession) } catch {
            throw token.service.field.reason(of: KanalError(error))
        }
    }

    /// Runs `body` with the slot of the session.
    func inSlot<Result: ~Copyable>(
        _ body: (TokenSlot) throws(TokensError) -> Result
    ) throws(KanalError) -> Result {
        try call { session throws(TokensError) in try session.withSlot(body) }
    }

    /// Random bytes from the token's generator, mixed with the operating system's.
    public func randomBytes(_ count: Int) throws(KanalError) -> [UInt8] {
        guard count >= 0 else { throw .invalidArgument("a negative count of random bytes") }
        return try call { session throws(TokensError) in try session.randomBytes(count) }
    }
}

extension Session {
    /// Removes an object from the token.
    func delete(_ reference: ObjectReference) throws(KanalError) {
        try call { session throws(TokensError) in try session.delete(reference.object) }
    }
}

extension Session {
    /// Changes the PIN of the session's role: the user's, or the security officer's.
    ///
    /// - Throws: ``KanalError/pinIncorrect(triesLeft:)`` for a wrong present PIN, ``KanalError/pinLength`` for a new
    ///   PIN that the token does not accept.
    public func changePIN(from present: borrowing PIN, to new: borrowing PIN) throws(KanalError) {
        let (present, new) = (present.secret, new.secret)
        do throws(KanalError) {
            try inSlot { slot throws(TokensError) in
                try slot.changePIN(of: role.driverRole, from: present.secret, to: new.secret)
            }
        } catch {
            guard error == .pinIncorrect(triesLeft: nil) else { throw error }
            throw .pinIncorrect(triesLeft: token.triesLeft(of: role, in: slot))
        }
        if role == .user { token.keep(new) }
    }

    /// Sets the user's PIN, with all its tries. For the security officer, on a token that was formatted so that the
    /// officer may do this.
    public func setUserPIN(_ pin: borrowing PIN) throws(KanalError) {
        let pin = pin.secret
        try call { session throws(TokensError) in try session.setUserPIN(pin.secret) }
    }

    /// Restores all tries of the user's PIN; the PIN stays. For the security officer.
    public func unblockUserPIN() throws(KanalError) {
        try inSlot { slot throws(TokensError) in try slot.unblockUserPIN() }
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
        let number = UInt8(clamping: number ?? 0)
        return ActivationPassword(
            try inSlot { slot throws(TokensError) in
                SharedSecret(
                    try slot.generateActivationPassword(
                        number: number, charset: characters == .capitals ? .letters : .lettersAndDigits))
            })
    }

    /// Names the token; an empty name removes its name.
    public func setLabel(_ label: String) throws(KanalError) {
        try inSlot { slot throws(TokensError) in try slot.setName(Array(label.utf8)) }
    }
}

/// The symbols of an activation password.
public enum PasswordCharacters: Sendable, Equatable {
    /// Capital letters without O, and digits without 0.
    case capitalsAndDigits
    /// Capital letters.
    case capitals
}

extension Session {
    /// The local PINs that have been set. No PIN is needed.
    public func localPINs() throws(KanalError) -> [LocalPIN] {
        try call { session throws(TokensError) in try session.slots.localPINs(in: slot) }
            .map { LocalPIN(number: $0.number, details: PINDetails($0.state)) }
    }

    /// Sets or changes a local PIN.
    ///
    /// - Parameters:
    ///   - number: One of ``LocalPIN/numbers``.
    ///   - present: Its present value; the user's PIN if it was not set before.
    /// - Throws: ``KanalError/pinIncorrect(triesLeft:)`` for a wrong present value: the user's login ends if it was the
    ///   user's PIN. ``KanalError/pinLength``, ``KanalError/pinLocked``.
    public func setLocalPIN(
        _ number: Int, to new: borrowing PIN, presenting present: borrowing PIN
    ) throws(KanalError) {
        let (new, present) = (new.secret, present.secret)
        let slots = tokenSession.slots
        do throws(TokensError) {
            try slots.setLocalPIN(
                number, in: slot, ofToken: try tokenSession.serial, to: new.secret, presenting: present.secret)
        } catch {
            guard error.tokenError == .pinIncorrect else { throw token.service.field.reason(of: KanalError(error)) }
            let own = try? slots.localPIN(number, in: slot)
            throw .pinIncorrect(triesLeft: own?.triesLeft ?? token.triesLeft(of: .user, in: slot))
        }
    }
}
