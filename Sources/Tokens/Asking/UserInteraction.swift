// SPDX-License-Identifier: Apache-2.0

package import Asking
import Glibc
import HostProcess
package import Secrets
package import Token
import Translation

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
    /// Whether another answer can follow a wrong one. A file always gives the same.
    package let asksUser: Bool
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

/// The lock that a thread holds during a call, and releases while a user is asked: that of an application that locks
/// with functions of its own.
package protocol CallHold: Sendable {
    func release()
    func resume()
}

private struct NoHold: CallHold {
    func release() {}
    func resume() {}
}

/// Facts about a token, for a question about it.
package struct TokenFacts: Sendable {
    let reader: String
    /// 8 bytes; empty if the token was not asked.
    package let serial: [UInt8]
    /// Empty if the token has none, or does not tell it.
    let label: String
    /// nil if the token does not tell.
    private var userTries: Int?
    private var securityOfficerTries: Int?

    package init(_ token: Token) throws(TokenError) {
        let info = try token.info(evicting: false, detailed: true)
        reader = token.reader
        serial = info.serial
        label = info.label.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard info.isFormatted != nil else { return }
        userTries = info.user.triesLeft
        securityOfficerTries = info.securityOfficer.triesLeft
    }

    init(_ channel: ChannelInfo, reader: String) {
        self.reader = reader
        serial = channel.serial
        label = channel.label
    }

    func triesLeft(of pin: PINRequest.PIN) -> Int? {
        switch pin {
        case .user: userTries
        case .securityOfficer: securityOfficerTries
        case .local, .container: nil
        }
    }

    /// A name by which a desktop can keep a PIN.
    func key(of pin: PINRequest.PIN) -> String? {
        switch pin {
        case .user: "kanal:\(displaySerial):user"
        case .securityOfficer: "kanal:\(displaySerial):so"
        case .local(let number): "kanal:\(displaySerial):local\(number)"
        // A token can have several containers, each with a password of its own.
        case .container: nil
        }
    }

    /// The lines that name the token and the program.
    var text: String {
        let token = label.isEmpty ? displaySerial : "\(label.onOneLine) (\(displaySerial))"
        return translated(
            """
            Token: \(token)
            Reader: \(reader.onOneLine)
            Program: \(HostNames.program().onOneLine) (process \(getpid()))
            """)
    }

    /// The same lines, and the purpose of a secret.
    func text(for purpose: Phrase) -> String { text + "\n" + translated("Purpose: \(purpose)") }

    /// The low four bytes, as `C_GetTokenInfo` tells them.
    private var displaySerial: String { serial.suffix(4).hexadecimal }
}
