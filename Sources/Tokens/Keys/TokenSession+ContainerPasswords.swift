// SPDX-License-Identifier: Apache-2.0
import Containers
import Locking
package import Secrets
import Token

/// Asks for the password of a key's container.
///
/// - Parameters:
///   - label: The key's.
///   - fault: Why the last answer was refused; nil for the first question.
package typealias PasswordQuestion =
    @Sendable (_ label: String, _ fault: PINFault?) throws(TokensError) -> SharedSecret

extension TokenSession {
    /// The limit of questions for one use of a key. A container counts no wrong passwords.
    private static let attempts = 3

    /// The password of a key's container, for one use. It is not kept.
    func password(of key: TokenObject) throws(TokensError) -> SharedSecret {
        let question = passwords.withLock { $0 }
        var fault: PINFault?
        for _ in 0..<Self.attempts {
            let answer: SharedSecret
            if let question {
                answer = try question(key.name, fault)
            } else {
                answer = try slots.askForPassword(in: slot, after: fault)
            }
            do throws(TokensError) {
                try withToken { token throws(TokenError) in try token.checkPassword(answer.secret, of: key) }
                return answer
            } catch {
                guard error.tokenError == .container(.password) else { throw error }
                fault = .incorrect
            }
        }
        throw .token(.container(.password))
    }
}
