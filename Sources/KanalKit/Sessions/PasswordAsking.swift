// SPDX-License-Identifier: Apache-2.0

import Asking
import Containers
import HostCrypto
import Secrets
import Token
import Tokens
import Translation

/// The way to the password of a container for all work of a task, with which each of its sessions begins. It is an object:
/// optimised code of Swift 6.3 crashes when a closure itself is the value of a task.
package final class PasswordAsking: Sendable {
    /// As the parameter of ``Session/askForPasswords(by:)``.
    package typealias Question = @Sendable (_ label: String, _ wasWrong: Bool) throws -> PIN

    /// nil for the authenticator of `kanal.conf`.
    @TaskLocal package static var current: PasswordAsking?

    private let ask: Question

    package init(_ ask: @escaping Question) { self.ask = ask }

    var question: PasswordQuestion { Self.question(ask) }

    static func question(_ ask: @escaping Question) -> PasswordQuestion {
        { label, fault throws(TokensError) in
            do { return try ask(label, fault != nil).secret } catch {
                switch error {
                case KanalError.cancelled: throw .unanswered(.cancelled)
                case KanalError.passwordIncorrect: throw .token(.container(.password))
                case let error as any Explained: throw .unanswered(.failed(error.explanation))
                default: throw .unanswered(.failed(Phrase(verbatim: "\(error)")))
                }
            }
        }
    }
}
