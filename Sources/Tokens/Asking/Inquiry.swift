// SPDX-License-Identifier: Apache-2.0

import Asking
import Locking
package import Secrets
package import Token
package import Translation

/// The questions about the token in a slot, one at a time.
///
/// A thread that wants an answer while another thread's question for the same is open waits for it, and shares its end:
/// if the user said no, this is the answer to both.
final class Inquiry: Sendable {
    private let turn = Lock(Unanswered?.none)
    private let count = Lock(0)
    private let refusal = Lock(Refusal?.none)

    /// The subject of a question.
    enum Subject: Equatable {
        case activation
        case pins([PINRequest])
        case consent
    }

    /// A question that ended without an answer.
    private struct Unanswered {
        let subject: Subject
        let error: AskingError
    }

    /// An activation that the user did not want, of this token, since this insertion of it.
    struct Refusal: Equatable {
        let serial: [UInt8]
        /// The reader's count of insertions and removals.
        let events: Int?
    }

    /// Runs `body`, which asks, when no other question is open.
    func take<Result, Failure: TokenCallError>(
        _ subject: Subject, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let seen = count.withLock { $0 }
        return try turn.withLock { last throws(Failure) in
            let hasWaited = count.withLock { $0 } != seen
            // Two uses of a key are not the same question.
            if hasWaited, let last, last.subject == subject, subject != .consent {
                throw Failure(.unanswered(last.error))
            }
            last = nil
            defer { count.withLock { $0 &+= 1 } }
            do throws(Failure) { return try body() } catch {
                if let answer = error.unanswered { last = Unanswered(subject: subject, error: answer) }
                throw error
            }
        }
    }

    /// Whether the user did not want this token to be activated, and it has not left its reader since.
    func isRefused(_ refusal: Refusal) -> Bool { self.refusal.withLock { $0 == refusal } }

    func refuse(_ refusal: Refusal) { self.refusal.withLock { $0 = refusal } }
}

/// A PIN that a call needs: the caller's, or one that the user is asked for.
package struct NeededPIN: Sendable {
    let request: PINRequest
    /// nil if the user is asked.
    let given: SharedSecret?

    package init(_ request: PINRequest, given: SharedSecret?) {
        self.request = request
        self.given = given
    }
}

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
        /// The password of a key's container, which is none of the token's.
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
    package init(_ role: Token.Role) {
        switch role {
        case .user: self = .user
        case .securityOfficer: self = .securityOfficer
        }
    }
}
