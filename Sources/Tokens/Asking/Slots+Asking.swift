// SPDX-License-Identifier: Apache-2.0

import APDU
import Asking
import Containers
import Locking
import Logging
import SecureChannel
package import Secrets
package import Token
package import Translation

/// Questions to the user. While one is open, nothing is held, neither a lock nor the token: other calls may use it, and
/// it may leave.
extension Slots {
    /// The limit of questions in one call.
    private static let attempts = 16

    /// Whether PINs can be left out, because the user is asked for them then.
    package var asksForPINs: Bool { interaction.prompt != nil }

    /// Whether something else than the user answers, such as a file.
    package var answersForUser: Bool { interaction.prompt?.asksUser == false }

    /// Runs `body` with PINs. The user is asked for PINs that the caller did not pass, until the token accepts them.
    ///
    /// - Parameters:
    ///   - look: Looks at the token before each question, and fails if no answer could help.
    ///   - body: Does the work, with the PINs in their order. It can run several times.
    /// - Throws: ``TokensError/pinMissing(isNew:)``, ``TokensError/unanswered(_:)``; the errors of `look` and `body`.
    package func withPINs<Failure: TokenCallError>(
        _ pins: [NeededPIN], in slot: Int, _ look: () throws(Failure) -> TokenFacts,
        _ body: ([SharedSecret]) throws(Failure) -> Void
    ) throws(Failure) {
        let given = pins.compactMap(\.given)
        let asked = pins.filter { $0.given == nil }.map(\.request)
        if asked.isEmpty { return try body(given) }
        guard let prompt = interaction.prompt else { throw Failure(.pinMissing(isNew: false)) }
        guard prompt.asksUser || !asked.contains(where: \.isNew) else { throw Failure(.pinMissing(isNew: true)) }
        try inquire(.pins(asked), in: slot) { () throws(Failure) in
            var last: (error: Failure, fault: PINFault)?
            for _ in 0..<Self.attempts {
                let facts = try held(look)
                let isLocked = asked.contains { !$0.isNew && facts.triesLeft(of: $0.pin) == 0 }
                guard !isLocked else { throw Failure(.token(.pinLocked)) }
                var secrets: [SharedSecret] = []
                for pin in pins {
                    if let given = pin.given {
                        secrets.append(given)
                    } else {
                        let question = pin.request.question(facts, after: last?.fault)
                        do throws(TokensError) { secrets.append(try answer(to: question, from: prompt)) } catch {
                            throw Failure(error)
                        }
                    }
                }
                do throws(Failure) {
                    return try held { () throws(Failure) in try body(secrets) }
                } catch {
                    guard let fault = error.pinFault, prompt.asksUser, asked.contains(where: { $0.canMend(fault) })
                    else { throw error }
                    last = (error, fault)
                }
            }
            throw last?.error ?? Failure(.tooManyQuestions)
        }
    }

    /// Whether programs can leave PINs out, since the user may be asked for them, or type them at the reader.
    package var mayDoWithoutPINs: Bool { asksForPINs || settings.policy.usesPINPads }

    /// Runs `body`, in which the user types PINs at the reader, with a message by the authenticator beside it.
    ///
    /// - Parameters:
    ///   - withPresent: Whether the present PIN is typed before a new one.
    ///   - isShown: Whether the authenticator shows the message.
    ///   - look: Looks at the token before, and fails if no PIN could help.
    package func atReader<Failure: TokenCallError>(
        _ request: PINRequest, withPresent: Bool = false, isShown: Bool = true, in slot: Int,
        _ look: () throws(Failure) -> TokenFacts, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        try inquire(.pins([request]), in: slot) { () throws(Failure) in
            let facts = try held(look)
            let isLocked = facts.triesLeft(of: request.pin) == 0
            guard !isLocked || request.isNew && !withPresent else { throw Failure(.token(.pinLocked)) }
            guard !request.isNew || facts.newDigits(of: request.pin) != nil else { throw Failure(.token(.pinLength)) }
            let message = request.message(facts, withPresent: withPresent)
            settings.log.notice("the user is to type at the reader: \(message.title)")
            let shown = isShown ? interaction.prompt?.show(message) : nil
            defer { withExtendedLifetime(shown) {} }
            try held(body)
        }
    }

    /// Has the user asked for a PIN, for a call that is to follow.
    ///
    /// - Parameters:
    ///   - purpose: The purpose, as a part of a sentence, such as "to log in".
    ///   - fault: Why the last answer was refused; nil for the first question.
    package func askForPIN(
        of role: ConnectedToken.Role, for purpose: Phrase, in slot: Int, after fault: PINFault? = nil
    ) throws(TokensError) -> SharedSecret {
        try askForPIN(PINRequest(pin: .init(role), purpose: purpose), in: slot, after: fault)
    }

    /// Has the user asked for the password of a key's container.
    func askForPassword(in slot: Int, after fault: PINFault?) throws(TokensError) -> SharedSecret {
        // A file always returns the same answer.
        guard fault == nil || interaction.prompt?.asksUser == true else { throw .token(.container(.password)) }
        return try askForPIN(PINRequest(pin: .container, purpose: "to use a key once"), in: slot, after: fault)
    }

    private func askForPIN(
        _ request: PINRequest, in slot: Int, after fault: PINFault?
    ) throws(TokensError) -> SharedSecret {
        guard let prompt = interaction.prompt else { throw .unanswered(.notConfigured) }
        return try inquire(.pins([request]), in: slot) { () throws(TokensError) -> SharedSecret in
            let token: TokenFacts = try held { () throws(TokensError) in try facts(of: slot) }
            guard token.triesLeft(of: request.pin) != 0 else { throw .token(.pinLocked) }
            return try answer(to: request.question(token, after: fault), from: prompt)
        }
    }

    /// The facts about the token in a slot for a question.
    package func facts(of slot: Int) throws(TokensError) -> TokenFacts {
        try withSlot(slot) { slot throws(TokensError) in
            try slot.withoutSessions { () throws(TokensError) in
                try slot.withToken { token throws(TokenError) in try TokenFacts(token) }
            }
        }
    }

    /// Asks for a PIN or a password.
    private func answer(to question: Question, from prompt: UserPrompt) throws(TokensError) -> SharedSecret {
        do throws(AskingError) {
            let answer = try prompt.secret(question)
            told(question, "success")
            return SharedSecret(answer)
        } catch {
            throw unanswered(question, error)
        }
    }

    /// Asks for a yes.
    func confirm(_ question: Question, by prompt: UserPrompt) throws(TokensError) {
        do throws(AskingError) {
            try prompt.confirm(question)
            told(question, "success")
        } catch {
            throw unanswered(question, error)
        }
    }

    private func unanswered(_ question: Question, _ error: AskingError) -> TokensError {
        switch error {
        case .cancelled: told(question, "cancel")
        case .failed(let reason): told(question, "failure: \(reason)")
        case .notInstalled(let reason): told(question, "not installed: \(reason)")
        case .notConfigured: told(question, "not configured")
        }
        return .unanswered(error)
    }

    /// Logs how a question ended.
    private func told(_ question: Question, _ outcome: String) {
        settings.log.notice("asked the user for \(question.title): \(outcome)")
    }

    /// Runs `body`, which asks, when no other question about the token is open, with nothing held.
    func inquire<Result, Failure: TokenCallError>(
        _ subject: Inquiry.Subject, in slot: Int, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let inquiry: Inquiry
        do throws(TokensError) { inquiry = try entry(slot).inquiry } catch { throw Failure(error) }
        interaction.call.release()
        defer { interaction.call.resume() }
        return try inquiry.take(subject, body)
    }

    /// Runs a part of ``inquire(_:in:_:)`` that works with the token.
    private func held<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        interaction.call.resume()
        defer { interaction.call.release() }
        return try body()
    }
}

/// An activation that the library asks for by itself (`activation = ask`).
extension Slots {
    /// Has the user asked for the activation password of a token that has to be activated, and activates it.
    ///
    /// A failed attempt is remembered until the token leaves, so that a program that retries endlessly does not ask
    /// endlessly.
    ///
    /// - Throws: ``TokensError/notActivated(after:)`` if the user does not activate the token.
    package func askForActivation(of slot: Int) throws(TokensError) {
        guard let prompt = interaction.prompt, prompt.asksUser, interaction.asksForActivation else {
            throw .notActivated(after: nil)
        }
        try inquire(.activation, in: slot) { () throws(TokensError) in
            var error: String?
            for _ in 0..<Self.passwordAttempts {
                guard let channel = try held({ () throws(TokensError) in try activatable(slot) }) else { return }
                let entry = try entry(slot)
                let insertion = Inquiry.Refusal(serial: channel.serial, events: entry.reader.events)
                guard !entry.inquiry.isRefused(insertion) else { throw .notActivated(after: nil) }
                let password: SharedSecret
                do throws(TokensError) {
                    password = try answer(to: question(channel, of: entry.reader.name, error: error), from: prompt)
                } catch {
                    entry.inquiry.refuse(insertion)
                    throw .notActivated(after: error)
                }
                do throws(TokensError) {
                    return try held { () throws(TokensError) in
                        try activate(slot, ofToken: channel.serial, password.secret)
                    }
                } catch let failure {
                    guard failure.isWrongPassword else {
                        entry.inquiry.refuse(insertion)
                        throw .notActivated(after: failure)
                    }
                    error = translated("The password is wrong.")
                }
            }
            throw .notActivated(after: nil)
        }
    }

    /// The limit of questions in one call. A token allows fewer wrong passwords.
    private static let passwordAttempts = 10

    private func activate(_ slot: Int, ofToken serial: [UInt8], _ password: borrowing Secret) throws(TokensError) {
        try activate(slot, ofToken: serial, password: password.bytes)
    }

    /// The channel of a token that a password can activate; nil if it is active by now.
    private func activatable(_ slot: Int) throws(TokensError) -> ChannelInfo? {
        let channel = try channelInfo(in: slot)
        if channel.state == .active { return nil }
        guard channel.needsActivation, channel.isPairingOpen else { throw .notSupported }
        return channel
    }

    private func question(_ channel: ChannelInfo, of reader: String, error: String?) -> Question {
        let facts = TokenFacts(channel, reader: reader)
        var text = facts.text(for: "to activate its secure channel for this user")
        text += "\n" + translated("The issuer of the token has the password.")
        let tries = channel.passwords.compactMap(\.triesLeft).max()
        if let tries { text += "\n" + translated("Tries left: \(tries)") }
        return Question(
            title: "The activation password of a token", text: text, prompt: translated("Activation password:"),
            button: "Activate", error: error)
    }
}

extension TokensError {
    /// Whether an activation failed by its password, so that another one can help.
    fileprivate var isWrongPassword: Bool {
        switch tokenError {
        case .channel(.passwordInvalid), .channel(.passwordRejected), .channel(.slotUnusable): true
        default: false
        }
    }
}
