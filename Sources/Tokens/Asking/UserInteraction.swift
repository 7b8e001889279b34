// SPDX-License-Identifier: Apache-2.0

package import Asking
import Glibc
import HostProcess
package import Secrets
import Token

/// How this application has its user asked.
package struct UserInteraction: Sendable {
    /// nil if the user cannot be asked: the application has to give PINs itself.
    package var prompt: UserPrompt?
    /// Whether `C_OpenSession` has the activation password asked of a token that wants one.
    package var asksForActivation = false
    /// Before which uses of private keys the user is asked for consent.
    package var consent = Consent.never
    /// The lock that the calling thread holds during a call.
    package var call: any CallHold = NoHold()

    package init() {}

    /// The configured one. A process with more rights than the user who started it never asks.
    package init(_ authenticator: Authenticator?, asksForActivation: Bool, consent: Consent) {
        prompt = Environment.isPrivileged ? nil : authenticator.map(UserPrompt.init)
        self.asksForActivation = asksForActivation
        self.consent = consent
    }
}

/// The program that asks the user, or the file with the answers.
package struct UserPrompt: Sendable {
    /// Whether another answer can follow a wrong one. A file always returns the same.
    package let asksUser: Bool
    /// Asks for a PIN or a password.
    let secret: @Sendable (Question) throws(AskingError) -> Secret
    /// Asks for a yes.
    let confirm: @Sendable (Question) throws(AskingError) -> Void
    /// Shows a message until what it returns is let go; nil if that does not work.
    let show: @Sendable (Question) -> AnyObject?

    init(_ authenticator: Authenticator) {
        asksUser = authenticator.asksUser
        secret = { question throws(AskingError) in try authenticator.secret(for: question) }
        confirm = { question throws(AskingError) in try authenticator.confirm(question) }
        show = { question in authenticator.show(question) }
    }

    package init(
        asksUser: Bool, secret: @escaping @Sendable (Question) throws(AskingError) -> Secret,
        confirm: @escaping @Sendable (Question) throws(AskingError) -> Void,
        show: @escaping @Sendable (Question) -> AnyObject? = { _ in nil }
    ) {
        self.asksUser = asksUser
        self.secret = secret
        self.confirm = confirm
        self.show = show
    }
}

/// The lock that a thread holds during a call, and releases while a user is asked, of an application that locks
/// with functions of its own.
package protocol CallHold: Sendable {
    func release()
    func resume()
}

private struct NoHold: CallHold {
    func release() {}
    func resume() {}
}
