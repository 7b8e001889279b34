// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Logging
import Secrets
import Token

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
