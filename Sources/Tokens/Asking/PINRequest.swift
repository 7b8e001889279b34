// SPDX-License-Identifier: Apache-2.0

import Asking
import Secrets
package import Token
package import Translation

/// The PIN that the user is asked for, and its purpose.
package struct PINRequest: Equatable, Sendable {
    let pin: PIN
    /// The purpose of the PIN, as a part of a sentence, such as "to log in".
    let purpose: Phrase
    /// Whether it is a new value, to be typed twice.
    var isNew = false

    package enum PIN: Equatable, Sendable {
        case user
        case securityOfficer
        case local(Int)
        /// The password of a key's container, not a password of the token.
        case container
    }

    package init(pin: PIN, purpose: Phrase, isNew: Bool = false) {
        (self.pin, self.purpose, self.isNew) = (pin, purpose, isNew)
    }

    /// - Parameter fault: Why the last answer was refused; nil for the first question.
    func question(_ facts: TokenFacts, after fault: PINFault?) -> Question {
        var text = facts.text(for: purpose)
        let tries = facts.triesLeft(of: pin)
        if !isNew, let tries { text += "\n" + translated("Tries left: \(tries)") }
        return Question(
            title: title, text: text, prompt: translated(prompt), button: button,
            error: fault.flatMap(complaint).map(translated), repeatPrompt: isNew ? translated("Once more:") : nil,
            key: isNew ? nil : facts.key(of: pin))
    }

    /// The message while the user types at the reader.
    ///
    /// - Parameter withPresent: Whether the present PIN is typed before a new one.
    func message(_ facts: TokenFacts, withPresent: Bool) -> Question {
        var text = facts.text(for: purpose)
        if !isNew || withPresent, let tries = facts.triesLeft(of: pin) {
            text += "\n" + translated("Tries left: \(tries)")
        }
        text += "\n" + translated(instruction(facts.newDigits(of: pin) ?? 0, withPresent))
        return Question(title: title, text: text)
    }

    private func instruction(_ digits: Int, _ withPresent: Bool) -> Phrase {
        guard isNew else { return "Type the PIN at the reader." }
        return withPresent
            ? "At the reader, type the present PIN, then twice the new one, of \(digits) digits."
            : "At the reader, type the new PIN twice; it has \(digits) digits."
    }

    /// Whether another answer can help.
    func canMend(_ fault: PINFault) -> Bool { complaint(fault) != nil }

    private func complaint(_ fault: PINFault) -> Phrase? {
        switch fault {
        case .incorrect where pin == .container: "The password is wrong."
        case .incorrect: isNew ? nil : "The PIN is wrong."
        case .length: isNew ? "The token does not accept a PIN of this length." : nil
        }
    }

    private var prompt: Phrase {
        if pin == .container { return "Password:" }
        return isNew ? "New PIN:" : "PIN:"
    }

    private var button: Phrase {
        if isNew { return "Set" }
        return pin == .container ? "Use the key" : "Log in"
    }

    private var title: Phrase {
        switch (pin, isNew) {
        case (.user, false): "The PIN of a token"
        case (.user, true): "A new PIN for a token"
        case (.securityOfficer, false): "The security officer's PIN of a token"
        case (.securityOfficer, true): "A new security officer's PIN for a token"
        case (.local(let number), false): "The local PIN \(number) of a token"
        case (.container, _): "The password of a key container"
        case (.local(let number), true): "A new local PIN \(number) for a token"
        }
    }
}

extension PINRequest.PIN {
    package init(_ role: ConnectedToken.Role) {
        switch role {
        case .user: self = .user
        case .securityOfficer: self = .securityOfficer
        }
    }
}
