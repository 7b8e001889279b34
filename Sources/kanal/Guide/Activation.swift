// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal

/// The activation of a token's channel, with a password that a person types or that lies somewhere.
struct Activation {
    let token: Token
    let source: SecretSource?

    /// Activates the channel, and opens a session to see that it works. On a terminal a wrong password is asked for
    /// again, as long as more than one try is left.
    ///
    /// - Parameter say: Tells a person what went wrong.
    func run(_ say: (String) -> Void) async throws {
        for _ in 1...10 {
            let password = try password()
            do {
                try await token.activate(password: password)
                return try await token.perform { _ in }
            } catch {
                guard case .passwordIncorrect(let tries)? = error as? KanalError, source == nil, tries ?? 2 > 1 else {
                    throw error
                }
                say(PINOptions.refusal(of: "password", triesLeft: tries))
            }
        }
        throw KanalError.cancelled
    }

    private func password() throws -> ActivationPassword {
        let secret = try PINOptions.secret(source, "Activation password: ", option: "--password-source")
        let octets = secret.bytes
        return ActivationPassword(octets: octets)
    }
}
