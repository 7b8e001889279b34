// SPDX-License-Identifier: Apache-2.0
import Asking
import Secrets
import Token
import Translation

/// A PIN that a call needs: the caller's, or one that the user is asked for.
struct NeededPIN: Sendable {
    let request: PINRequest
    /// nil if the user is asked.
    let given: SharedSecret?

    init(_ request: PINRequest, given: SharedSecret?) {
        self.request = request
        self.given = given
    }
}

/// The PIN that the user is asked for, and its purpose.
struct PINRequest: Equatable, Sendable {
    let pin: PIN
    /// The purpose of the PIN, as a part of a sentence, such as "to log in".
    let purpose: Phrase
    /// Whether it is a new value, to be typed twice.
    var isNew = false

    enum PIN: Equatable, Sendable {
        case user
        case securityOfficer
        case local(Int)
    }

    /// - Parameter error: The end of the last try; nil for the first one.
    func question(_ facts: TokenFacts, after error: CKError?) -> Question {
        var text = facts.text(for: purpose)
        let tries = facts.triesLeft(of: pin)
        if !isNew, let tries { text += "\n" + translated("Tries left: \(tries)") }
        return Question(
            title: title, text: text, prompt: translated(isNew ? "New PIN:" : "PIN:"),
            error: error.flatMap(complaint).map(translated), repeatPrompt: isNew ? translated("Once more:") : nil,
            key: isNew ? nil : facts.key(of: pin))
    }

    /// Whether another answer can help after this error.
    func canMend(_ error: CKError) -> Bool { complaint(error) != nil }

    private func complaint(_ error: CKError) -> Phrase? {
        switch error {
        case .pinIncorrect: isNew ? nil : "The PIN is wrong."
        case .pinLengthRange: isNew ? "The token does not take a PIN of this length." : nil
        default: nil
        }
    }

    private var title: Phrase {
        switch (pin, isNew) {
        case (.user, false): "The PIN of a token"
        case (.user, true): "A new PIN for a token"
        case (.securityOfficer, false): "The security officer's PIN of a token"
        case (.securityOfficer, true): "A new security officer's PIN for a token"
        case (.local(let number), false): "The local PIN \(number) of a token"
        case (.local(let number), true): "A new local PIN \(number) for a token"
        }
    }
}

extension PINRequest.PIN {
    init(_ role: Token.Role) {
        switch role {
        case .user: self = .user
        case .securityOfficer: self = .securityOfficer
        }
    }
}
