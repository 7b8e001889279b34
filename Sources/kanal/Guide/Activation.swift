// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal
import Translation

/// The activation of a token's channel, with a password that a person types or that a source provides.
struct Activation {
    let token: Token
    let source: SecretSource?
    /// Tells a person the next step, and errors.
    let say: (Phrase) throws -> Void

    /// The longest wait for a person to press the token's button.
    private static let patience = Duration.seconds(60)

    /// Activates the channel, and opens a session to see that it works. On a terminal a wrong password is asked for
    /// again, as long as more than one try is left.
    func run() async throws {
        while true {
            let password = try password()
            try await waitForButton()
            do {
                try await token.activate(password: password)
                return try await token.perform { _ in }
            } catch {
                guard case .passwordIncorrect(let tries)? = error as? KanalError, source == nil, tries ?? 2 > 1 else {
                    throw error
                }
                try say(SecretQuestion.refusalOfPassword(triesLeft: tries))
            }
        }
    }

    private func password() throws -> ActivationPassword {
        let question = SecretQuestion(prompt: "Activation password: ", source: source, option: "--password-source")
        let secret = try question.answer()
        let octets = secret.bytes
        return ActivationPassword(octets: octets)
    }

    private func waitForButton() async throws {
        var channel = try await token.details().channel
        guard channel.needsButton, !channel.isReadyForActivation else { return }
        try say("Press the button on the token.")
        let progress = ProgressLine("Waiting for the button. Ctrl-C ends.")
        defer { progress.end() }
        let end = ContinuousClock.now + Self.patience
        while !channel.isReadyForActivation {
            guard ContinuousClock.now < end else {
                throw CommandError(.failed, "the button of the token was not pressed in time")
            }
            try await Task.sleep(for: .milliseconds(300))
            channel = try await token.details().channel
        }
    }
}
