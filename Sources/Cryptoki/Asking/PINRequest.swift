// SPDX-License-Identifier: Apache-2.0
import Asking
import Secrets
import Token

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

/// Which PIN the user is asked for, and what for.
struct PINRequest: Equatable, Sendable {
    let pin: PIN
    /// What the PIN is for, as a part of a sentence, such as "logging in".
    let purpose: String
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
        if !isNew, let tries { text += "\nTries left: \(tries)" }
        return Question(
            title: isNew ? "A new \(name) for a token" : "The \(name) of a token", text: text,
            prompt: isNew ? "New PIN:" : "PIN:", error: error.flatMap(complaint),
            repeatPrompt: isNew ? "Once more:" : nil, key: isNew ? nil : facts.key(of: pin))
    }

    /// Whether another answer can help after this error.
    func canMend(_ error: CKError) -> Bool { complaint(error) != nil }

    private func complaint(_ error: CKError) -> String? {
        switch error {
        case .pinIncorrect: isNew ? nil : "The PIN is wrong."
        case .pinLengthRange: isNew ? "The token does not take a PIN of this length." : nil
        default: nil
        }
    }

    private var name: String {
        switch pin {
        case .user: "PIN"
        case .securityOfficer: "security officer's PIN"
        case .local(let number): "local PIN \(number)"
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
