// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

/// A secret from a source, or from a person who is asked.
struct SecretQuestion {
    let prompt: Phrase
    let source: SecretSource?
    /// The option that names a source.
    let option: String
    /// Whether an empty line from a source is a secret, as files of others have it.
    var canBeEmpty = false

    func answer() throws -> Secret { try answer(prompt) }

    /// A secret that is new, which a person types twice.
    ///
    /// - Parameter refusal: The reason why a secret cannot be the new one. The person sees it, and is asked again.
    func newSecret(refusal: (borrowing Secret) -> Phrase? = { _ in nil }) throws -> Secret {
        guard source == nil else {
            let secret = try answer(prompt)
            if let reason = refusal(secret) { throw CommandError(.failed, reason) }
            return secret
        }
        let difference: Phrase = "the two are not the same"
        var failure = difference
        for attempt in 1...Self.attempts {
            let first = try answer(prompt)
            if let reason = refusal(first) {
                failure = reason
            } else {
                let second = try answer(Phrase("The same again: "))
                if Self.areSame(first, second) { return first }
                failure = difference
            }
            if attempt < Self.attempts { try OutputStream.error.write("kanal: \(translated(failure))\n") }
        }
        throw CommandError(.failed, failure)
    }

    private static let attempts = 3

    private static func areSame(_ first: borrowing Secret, _ second: borrowing Secret) -> Bool {
        let left = first.bytes
        let right = second.bytes
        return constantTimeEqual(left, right)
    }

    private func answer(_ prompt: Phrase) throws -> Secret {
        if let source { return try source.read(canBeEmpty: canBeEmpty) }
        do throws(Console.Failure) {
            return try ProgramContext.current.terminal().secret(translated(prompt).printable)
        } catch {
            guard case .none = error else { throw error }
            throw CommandError(.usage, "there is no terminal to ask on: name the secret's source with \(option)")
        }
    }

    /// The message after a wrong answer.
    static func refusalOfPIN(triesLeft tries: Int?) -> Phrase {
        switch tries {
        case nil: "The PIN is wrong."
        case 1: "The PIN is wrong. One try is left."
        case let tries?: "The PIN is wrong. \(tries) tries are left."
        }
    }

    static func refusalOfPassword(triesLeft tries: Int?) -> Phrase {
        switch tries {
        case nil: "The password is wrong."
        case 1: "The password is wrong. One try is left."
        case let tries?: "The password is wrong. \(tries) tries are left."
        }
    }
}
