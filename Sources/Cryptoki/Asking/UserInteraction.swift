// SPDX-License-Identifier: Apache-2.0
package import Asking
import HostProcess
package import Secrets

/// How this application has its user asked.
package struct UserInteraction: Sendable {
    /// nil if nobody can be asked: the application has to give PINs itself.
    package var prompt: UserPrompt?
    /// Whether `C_OpenSession` has the activation password asked of a token that wants one.
    package var asksForActivation = false
    /// Before which uses of private keys the user is asked for consent.
    package var consent = Consent.never
    /// What the calling thread holds for the time of a call.
    package var call: any CallHold = NoHold()

    package init() {}

    /// The one that is configured. A process that has more rights than who started it asks nobody.
    package init(_ authenticator: Authenticator?, asksForActivation: Bool, consent: Consent) {
        prompt = Environment.isPrivileged ? nil : authenticator.map(UserPrompt.init)
        self.asksForActivation = asksForActivation
        self.consent = consent
    }
}

/// Who asks the user.
package struct UserPrompt: Sendable {
    /// Whether another answer can follow a wrong one. A file always gives the same.
    let asksUser: Bool
    /// Asks for a PIN or a password.
    let secret: @Sendable (Question) throws(AskingError) -> Secret
    /// Asks for a yes.
    let confirm: @Sendable (Question) throws(AskingError) -> Void

    init(_ authenticator: Authenticator) {
        asksUser = authenticator.asksUser
        secret = { question throws(AskingError) in try authenticator.secret(for: question) }
        confirm = { question throws(AskingError) in try authenticator.confirm(question) }
    }

    package init(
        asksUser: Bool, secret: @escaping @Sendable (Question) throws(AskingError) -> Secret,
        confirm: @escaping @Sendable (Question) throws(AskingError) -> Void
    ) {
        self.asksUser = asksUser
        self.secret = secret
        self.confirm = confirm
    }
}

/// What a thread holds for the time of a call, and lets go of while a user is asked: the lock of an application that locks
/// with functions of its own.
package protocol CallHold: Sendable {
    func release()
    func resume()
}

private struct NoHold: CallHold {
    func release() {}
    func resume() {}
}
