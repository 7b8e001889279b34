// SPDX-License-Identifier: Apache-2.0

import APDU
import Asking
package import CCryptoki
import Locking
import Logging
package import Secrets
package import Token
package import Translation

/// Questions to the user. While one is open, nothing is held, neither a lock nor the token: other calls may use it, and
/// it may leave.
extension Library {
    /// The limit of questions in one call.
    private static let attempts = 16

    /// Whether PINs can be left out, because the user is asked for them then.
    package var asksForPINs: Bool { interaction.prompt != nil }

    /// Runs `body` with PINs. The user is asked for those that the caller has not given, until the token takes them.
    ///
    /// - Parameters:
    ///   - look: Looks at the token before each question, and fails if no answer could help.
    ///   - body: Does the work, with the PINs in their order. It can run several times.
    /// - Throws: `CKR_ARGUMENTS_BAD` if a PIN is missing and the user cannot be asked; `CKR_FUNCTION_CANCELED` if the
    ///   user says no; `CKR_FUNCTION_FAILED` without an answer; the errors of `look` and `body`.
    func withPINs(
        _ pins: [NeededPIN], in slot: CK_SLOT_ID, _ look: () throws(CKError) -> TokenFacts,
        _ body: ([SharedSecret]) throws(CKError) -> Void
    ) throws(CKError) {
        let given = pins.compactMap(\.given)
        let asked = pins.filter { $0.given == nil }.map(\.request)
        if asked.isEmpty { return try body(given) }
        guard let prompt = interaction.prompt else {
            throw .argumentsBad("a PIN is NULL, and the configuration names no program that asks for it")
        }
        guard prompt.asksUser || !asked.contains(where: \.isNew) else {
            throw .argumentsBad("a new PIN is NULL, and the authenticator is a file, which has the present one")
        }
        try inquire(.pins(asked), in: slot) { () throws(CKError) in
            var last: CKError?
            for _ in 0..<Self.attempts {
                let facts = try held(look)
                let isLocked = asked.contains { !$0.isNew && facts.triesLeft(of: $0.pin) == 0 }
                guard !isLocked else { throw .pinLocked }
                var secrets: [SharedSecret] = []
                for pin in pins {
                    if let given = pin.given {
                        secrets.append(given)
                    } else {
                        secrets.append(try answer(to: pin.request.question(facts, after: last), from: prompt))
                    }
                }
                do throws(CKError) {
                    return try held { () throws(CKError) in try body(secrets) }
                } catch {
                    guard prompt.asksUser, asked.contains(where: { $0.canMend(error) }) else { throw error }
                    last = error
                }
            }
            throw last ?? .functionFailed
        }
    }

    /// Asks for a PIN or a password.
    func answer(to question: Question, from prompt: UserPrompt) throws(CKError) -> SharedSecret {
        do throws(AskingError) {
            let answer = try prompt.secret(question)
            told(question, "success")
            return SharedSecret(answer)
        } catch {
            throw unanswered(question, error)
        }
    }

    /// Asks for a yes.
    func confirm(_ question: Question, by prompt: UserPrompt) throws(CKError) {
        do throws(AskingError) {
            try prompt.confirm(question)
            told(question, "success")
        } catch {
            throw unanswered(question, error)
        }
    }

    private func unanswered(_ question: Question, _ error: AskingError) -> CKError {
        switch error {
        case .cancelled: told(question, "cancel")
        case .failed(let reason): told(question, "failure: \(reason)")
        case .notInstalled(let reason): told(question, "not installed: \(reason)")
        case .notConfigured: told(question, "not configured")
        }
        return CKError(error)
    }

    /// Logs how a question ended.
    private func told(_ question: Question, _ outcome: String) {
        settings.log.notice("asked the user for \(question.title): \(outcome)")
    }

    /// Runs `body`, which asks, when no other question about the token is open, with nothing held.
    func inquire<Result>(
        _ subject: Inquiry.Subject, in slot: CK_SLOT_ID, _ body: () throws(CKError) -> Result
    ) throws(CKError) -> Result {
        let inquiry = try entry(slot).inquiry
        interaction.call.release()
        defer { interaction.call.resume() }
        return try inquiry.take(subject, body)
    }

    /// Runs a part of ``inquire(_:in:_:)`` that works with the token.
    func held<Result>(_ body: () throws(CKError) -> Result) throws(CKError) -> Result {
        interaction.call.resume()
        defer { interaction.call.release() }
        return try body()
    }
}

/// An activation that the library asks for by itself (`activation = ask`).
extension Library {
    /// Has the user asked for the activation password of a token that has to be activated, and activates it.
    ///
    /// A failed attempt is remembered until the token leaves, so that a program that retries endlessly does not ask
    /// endlessly.
    ///
    /// - Parameter refusal: The error to throw if the user does not activate the token.
    func askForActivation(of id: CK_SLOT_ID, otherwise refusal: CKError) throws(CKError) {
        guard let prompt = interaction.prompt, prompt.asksUser, interaction.asksForActivation else { throw refusal }
        try inquire(.activation, in: id) { () throws(CKError) in
            var error: String?
            for _ in 0..<Self.passwordAttempts {
                guard let channel = try held({ () throws(CKError) in try activatable(id) }) else { return }
                let insertion = Inquiry.Refusal(serial: channel.serial, events: try entry(id).reader.events)
                let inquiry = try entry(id).inquiry
                guard !inquiry.isRefused(insertion) else { throw refusal }
                let password: SharedSecret
                do throws(CKError) {
                    password = try answer(to: question(channel, in: id, error: error), from: prompt)
                } catch {
                    inquiry.refuse(insertion)
                    throw refusal.following(error)
                }
                do throws(CKError) {
                    return try held { () throws(CKError) in try activate(id, password.secret) }
                } catch let failure {
                    guard failure == .activationPasswordInvalid else {
                        inquiry.refuse(insertion)
                        throw refusal.following(failure)
                    }
                    error = translated("The password is wrong.")
                }
            }
            throw refusal
        }
    }

    /// The limit of questions in one call. A token takes fewer wrong passwords.
    private static let passwordAttempts = 10

    private func activate(_ id: CK_SLOT_ID, _ password: borrowing Secret) throws(CKError) {
        try activate(id, password: password.bytes)
    }

    /// The channel of a token that a password can activate; nil if it is active by now.
    private func activatable(_ id: CK_SLOT_ID) throws(CKError) -> ChannelInfo? {
        let channel = try channelInfo(in: id)
        if channel.state == .active { return nil }
        guard channel.needsActivation, channel.isPairingOpen else { throw .functionNotSupported }
        return channel
    }

    private func question(_ channel: ChannelInfo, in id: CK_SLOT_ID, error: String?) throws(CKError) -> Question {
        let facts = TokenFacts(channel, reader: try entry(id).reader.name)
        var text = facts.text(for: "to activate its secure channel for this user")
        text += "\n" + translated("The password is on the card that came with the token.")
        let tries = channel.passwords.compactMap(\.triesLeft).max()
        if let tries { text += "\n" + translated("Tries left: \(tries)") }
        return Question(
            title: "The activation password of a token", text: text, prompt: translated("Activation password:"),
            error: error)
    }
}

/// The functions that take PINs. Each PIN can be nil if the user is asked for it.
extension Library {
    /// Logs in to the token, for all sessions of this application with it.
    package func logIn(
        _ handle: CK_SESSION_HANDLE, as user: CK_USER_TYPE, pin: SharedSecret?
    ) throws(CKError) {
        let request =
            switch user {
            case CKU_SO: PINRequest(pin: .securityOfficer, purpose: "to log in")
            case CKU_CONTEXT_SPECIFIC: PINRequest(pin: .user, purpose: "to use a key once")
            default: PINRequest(pin: .user, purpose: "to log in")
            }
        try withPINs([NeededPIN(request, given: pin)], of: handle) { session throws(CKError) in
            try session.requireLoginPossible(as: user)
        } _: { session, pins throws(CKError) in
            try session.logIn(user, pin: pins[0].secret)
        }
    }

    /// Gives User's PIN its first value, or a new one.
    package func initPIN(_ handle: CK_SESSION_HANDLE, to pin: SharedSecret?) throws(CKError) {
        let request = PINRequest(pin: .user, purpose: "to set the user's PIN", isNew: true)
        try withPINs([NeededPIN(request, given: pin)], of: handle) { session throws(CKError) in
            try session.requireInitPINPossible()
        } _: { session, pins throws(CKError) in
            try session.initPIN(pins[0].secret)
        }
    }

    /// Changes the PIN of the logged-in user, or User's without a login.
    ///
    /// - Parameter old: The present value. It may be empty only during a login.
    package func setPIN(_ handle: CK_SESSION_HANDLE, old: SharedSecret?, new: SharedSecret?) throws(CKError) {
        let role = try withSession(handle) { session throws(CKError) in session.slot.login ?? .user }
        let pins = [
            NeededPIN(PINRequest(pin: .init(role), purpose: "to change it"), given: old),
            NeededPIN(PINRequest(pin: .init(role), purpose: "to change it", isNew: true), given: new),
        ]
        try withPINs(pins, of: handle) { session throws(CKError) in
            try session.requirePINsChangeable()
        } _: { session, pins throws(CKError) in
            try session.setPIN(old: pins[0].secret, new: pins[1].secret)
        }
    }

    /// Formats the token, as ``initToken(in:ofToken:pin:format:mode:)`` does.
    ///
    /// - Parameters:
    ///   - pin: The SO's present PIN.
    ///   - format: Makes the token's new format, from the SO's present PIN.
    package func initToken(
        in slot: CK_SLOT_ID, pin: SharedSecret?, mode: CK_ULONG,
        format: (SharedSecret) throws(CKError) -> TokenFormat
    ) throws(CKError) {
        try initToken(in: slot, [presentPIN(pin)], mode: mode) { pins throws(CKError) in try format(pins[0]) }
    }

    /// Formats the token, and gives it new PINs.
    ///
    /// - Parameters:
    ///   - pin: The SO's present PIN.
    ///   - format: Makes the token's new format, from the SO's new PIN and User's.
    package func initToken(
        in slot: CK_SLOT_ID, pin: SharedSecret?, newPINs: (securityOfficer: SharedSecret?, user: SharedSecret?),
        mode: CK_ULONG, format: (_ securityOfficer: SharedSecret, _ user: SharedSecret) throws(CKError) -> TokenFormat
    ) throws(CKError) {
        let purpose: Phrase = "that the token has when it is made new"
        let pins = [
            presentPIN(pin),
            NeededPIN(
                PINRequest(pin: .securityOfficer, purpose: purpose, isNew: true), given: newPINs.securityOfficer),
            NeededPIN(PINRequest(pin: .user, purpose: purpose, isNew: true), given: newPINs.user),
        ]
        try initToken(in: slot, pins, mode: mode) { pins throws(CKError) in try format(pins[1], pins[2]) }
    }

    private func presentPIN(_ pin: SharedSecret?) -> NeededPIN {
        NeededPIN(PINRequest(pin: .securityOfficer, purpose: "to erase the token and make it new"), given: pin)
    }

    private func initToken(
        in slot: CK_SLOT_ID, _ pins: [NeededPIN], mode: CK_ULONG,
        format: ([SharedSecret]) throws(CKError) -> TokenFormat
    ) throws(CKError) {
        var seen: [UInt8]?
        try withPINs(pins, in: slot) { () throws(CKError) in
            let facts = try facts(of: slot)
            seen = facts.serial
            return facts
        } _: { pins throws(CKError) in
            let format = try format(pins)
            let present = pins[0]
            try initToken(in: slot, ofToken: seen, pin: present.secret, format: format, mode: mode)
        }
    }

    /// Sets the default that User's PIN can be given again.
    package func setDefaultPIN(
        _ handle: CK_SESSION_HANDLE, of user: CK_USER_TYPE, to pin: SharedSecret?
    ) throws(CKError) {
        let request = PINRequest(pin: .user, purpose: "that becomes the token's default", isNew: true)
        try withPINs([NeededPIN(request, given: pin)], of: handle) { session throws(CKError) in
            try session.requireManaged(user)
        } _: { session, pins throws(CKError) in
            try session.setDefaultPIN(of: user, to: pins[0].secret)
        }
    }

    /// Gives a local PIN a value.
    ///
    /// - Parameter present: Its present value; User's PIN if it has none.
    package func setLocalPIN(
        _ number: CK_ULONG, in slot: CK_SLOT_ID, to new: SharedSecret?, presenting present: SharedSecret?
    ) throws(CKError) {
        let local = PINRequest.PIN.local(Int(clamping: number))
        let purpose: Phrase = "to set the local PIN \(number); of one without a value, the user's PIN is asked"
        let pins = [
            NeededPIN(PINRequest(pin: local, purpose: purpose), given: present),
            NeededPIN(PINRequest(pin: local, purpose: "to set it", isNew: true), given: new),
        ]
        try withPINs(pins, in: slot) { () throws(CKError) in
            try facts(of: slot)
        } _: { pins throws(CKError) in
            try setLocalPIN(number, in: slot, to: pins[1].secret, presenting: pins[0].secret)
        }
    }

    /// Has the user asked for a PIN, for a call that is to follow.
    ///
    /// - Parameters:
    ///   - purpose: The purpose, as a part of a sentence, such as "to log in".
    ///   - error: The error of the call with the last answer.
    package func askForPIN(
        of role: Token.Role, for purpose: Phrase, in slot: CK_SLOT_ID, after error: CKError? = nil
    ) throws(CKError) -> SharedSecret {
        guard let prompt = interaction.prompt else { throw CKError(.notConfigured) }
        let request = PINRequest(pin: .init(role), purpose: purpose)
        return try inquire(.pins([request]), in: slot) { () throws(CKError) -> SharedSecret in
            let token: TokenFacts = try held { () throws(CKError) in try facts(of: slot) }
            guard token.triesLeft(of: request.pin) != 0 else { throw .pinLocked }
            return try answer(to: request.question(token, after: error), from: prompt)
        }
    }

    /// As ``withPINs(_:in:_:_:)``, for a function of a session.
    private func withPINs(
        _ pins: [NeededPIN], of handle: CK_SESSION_HANDLE, _ check: (Session) throws(CKError) -> Void,
        _ body: (Session, [SharedSecret]) throws(CKError) -> Void
    ) throws(CKError) {
        try withPINs(pins, in: slot(of: handle)) { () throws(CKError) in
            try withSession(handle) { session throws(CKError) in
                try check(session)
                return try session.facts()
            }
        } _: { pins throws(CKError) in
            try withSession(handle) { session throws(CKError) in try body(session, pins) }
        }
    }

    private func facts(of slot: CK_SLOT_ID) throws(CKError) -> TokenFacts {
        try entry(slot).slot.withLock { slot throws(CKError) in
            try slot.withoutSessions { () throws(CKError) in
                try slot.withToken { token throws(TokenError) in try TokenFacts(token) }
            }
        }
    }
}
