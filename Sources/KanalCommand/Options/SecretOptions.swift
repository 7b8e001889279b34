// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
package import KanalKit
import Secrets
import Terminal
import Translation

extension SecretSource: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

/// The source of the PIN.
struct PINOptions: ParsableArguments {
    @Option(
        help: .saying(
            """
            Where the PIN is: file:PATH, env:NAME, fd:NUMBER, - for standard input, or authenticator for the \
            program that kanal.conf names. (default: ask on the terminal, or by that program without one)
            """,
            valueName: "source"),
        completion: .askedSources)
    var pinSource: SecretSource?

    /// The option that names the source.
    static let option = "--pin-source"

    private static let attempts = 3
    /// The tries that are few enough to be in the question.
    private static let fewTries = 3

    /// The PIN. It is not asked for if the token cannot be used, because it is not activated.
    ///
    /// - Parameters:
    ///   - name: The name of the PIN in the question on a terminal.
    ///   - refusal: How the last answer was refused.
    ///   - known: The tries of a PIN that is not the role's.
    ///   - option: The option that names a source.
    func read(
        _ name: Phrase, of role: Role, _ token: Token, after refusal: KanalError? = nil, triesLeft known: Int? = nil,
        by option: String = Self.option
    ) async throws -> HeldPIN {
        // A password for a container that has none would be an error.
        if pinSource == nil, !token.information.needsLogin {
            if refusal == nil { try await token.perform { _ in } }
            return HeldPIN()
        }
        let left: Int? = if let known { known } else { try await Self.triesLeft(of: role, token, after: refusal) }
        if left == 0 { throw LockedPIN(role).refusal }
        if pinSource == .authenticator
            || (pinSource == nil && token.hasAuthenticator && !ProgramContext.current.hasTerminal)
        {
            return HeldPIN(try await token.askForPIN(of: role, after: refusal))
        }
        var prompt: Phrase = "\(name): "
        if let left, left <= Self.fewTries { prompt = "\(name) (tries left: \(left)): " }
        return HeldPIN(try SecretQuestion(prompt: prompt, source: pinSource, option: option).answer())
    }

    /// The tries that a PIN has left, before a question; nil if the token does not tell.
    private static func triesLeft(of role: Role, _ token: Token, after refusal: KanalError?) async throws -> Int? {
        if case .pinIncorrect(let tries)? = refusal { return tries }
        try await token.perform { _ in }
        // What the token told when it was found costs no command to it.
        if role == .user, token.information.pinTriesLeft ?? 0 > fewTries { return nil }
        let details = try await token.details()
        return (role == .user ? details.userPIN : details.officerPIN)?.triesLeft
    }

    /// The PIN, once the token has accepted it. A wrong one that was typed is asked for again.
    func verified(on token: Token, as role: Role) async throws -> HeldPIN {
        let name = Self.name(of: role, token)
        var refusal: KanalError?
        for attempt in 1...Self.attempts {
            let pin = try await read(name, of: role, token, after: refusal)
            do {
                try await token.perform(as: role, pin: pin.value) { _ in }
                return pin
            } catch {
                guard case .pinIncorrect(let tries)? = error as? KanalError else { throw error }
                if tries == 0 { throw LockedPIN(role).loss }
                guard asks, attempt < Self.attempts else { throw error }
                refusal = .pinIncorrect(triesLeft: tries)
                try OutputStream.error.write(translated(SecretQuestion.refusalOfPIN(triesLeft: tries)) + "\n")
            }
        }
        throw KanalError.pinNeeded
    }

    /// Whether there is neither a source of the PIN nor a person who could be asked.
    func cannotAsk(for token: Token) -> Bool {
        pinSource == nil && token.information.needsLogin && !token.hasAuthenticator
            && !ProgramContext.current.hasTerminal
    }

    /// Whether a wrong PIN is asked for again.
    private var asks: Bool { pinSource == nil || pinSource == .authenticator }

    /// Works with a token after the PIN was given. After a wrong PIN the person is asked again, up to three times in
    /// all.
    func perform<Result: Sendable>(
        on token: Token, as role: Role = .user, _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        try await perform(on: token, as: role, body) { $0 }
    }

    /// As ``perform(on:as:_:)``, and goes on with the result before the login ends.
    ///
    /// - Parameter option: The option that names a source.
    func perform<First: Sendable, Result>(
        on token: Token, as role: Role = .user, by option: String = Self.option,
        _ body: @escaping @Sendable (borrowing Session) throws -> First, then next: (First) async throws -> Result
    ) async throws -> Result {
        do { return try await attempt(on: token, as: role, by: option, body, then: next) } catch {
            throw Self.remedied(error, role, token, option)
        }
    }

    /// The error with the remedy for what was asked.
    private static func remedied(_ error: any Error, _ role: Role, _ token: Token, _ option: String) -> any Error {
        guard token.information.isFolder else { return LockedPIN(role).remedied(error) ?? error }
        guard case .pinIncorrect? = error as? KanalError else { return error }
        let name = token.information.label ?? ""
        return CommandError(
            .wrongPIN,
            """
            the password of the container \(name) is wrong: type the right one, or say with \
            \(option) where it is
            """, of: KanalError.passwordIncorrect(triesLeft: nil), remedy: option)
    }

    private func attempt<First: Sendable, Result>(
        on token: Token, as role: Role, by option: String,
        _ body: @escaping @Sendable (borrowing Session) throws -> First, then next: (First) async throws -> Result
    ) async throws -> Result {
        let name = Self.name(of: role, token)
        let absence = AbsenceLine(token)
        defer { withExtendedLifetime(absence) {} }
        var refusal: KanalError?
        for _ in 1..<Self.attempts {
            let pin = try await read(name, of: role, token, after: refusal, by: option)
            do {
                return try await perform(on: token, as: role, pin, body, then: next)
            } catch {
                guard case .pinIncorrect(let tries)? = error as? KanalError, asks, tries != 0 else { throw error }
                refusal = .pinIncorrect(triesLeft: tries)
                let text =
                    token.information.isFolder
                    ? SecretQuestion.refusalOfPassword(triesLeft: nil) : SecretQuestion.refusalOfPIN(triesLeft: tries)
                try OutputStream.error.write(translated(text) + "\n")
            }
        }
        let pin = try await read(name, of: role, token, after: refusal, by: option)
        return try await perform(on: token, as: role, pin, body, then: next)
    }

    private func perform<First: Sendable, Result>(
        on token: Token, as role: Role, _ pin: HeldPIN, _ body: @escaping @Sendable (borrowing Session) throws -> First,
        then next: (First) async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            // The work is done in a thread, which has the context of no task by itself.
            let context = ProgramContext.current
            let first = try await token.perform(as: role, pin: pin.value) { session in
                try ProgramContext.$current.withValue(context) { try body(session) }
            }
            result = try await next(first)
        } catch {
            // The token is logged out, also if the work was cancelled.
            await token.forgetPIN()
            throw error
        }
        await token.forgetPIN()
        return result
    }

    /// The name of the PIN in a question.
    static func name(of role: Role, _ token: Token) -> Phrase {
        if token.information.isFolder { return "Password of the container \(token.information.label ?? "")" }
        let serial = token.information.serialText
        return role == .user ? "PIN of the token \(serial)" : "Security officer's PIN of the token \(serial)"
    }
}

/// A PIN that a closure can hold.
package final class HeldPIN: Sendable {
    let value: PIN?

    /// None, for a token that wants none.
    init() { value = nil }

    package init(_ pin: consuming PIN) { value = consume pin }

    init(_ secret: borrowing Secret) {
        let bytes = secret.bytes
        value = PIN(bytes: bytes)
    }

    /// The same PIN, which stays where it is.
    func shared() throws -> PIN {
        switch value {
        case .some(let pin): return PIN(sharing: pin)
        case .none: throw KanalError.pinNeeded
        }
    }

    /// Calls `body` with the PIN.
    func with<Result>(_ body: (borrowing PIN) throws -> Result) throws -> Result {
        switch value {
        case .some(let pin): return try body(pin)
        case .none: throw KanalError.pinNeeded
        }
    }
}

/// A secret from a source, or from a person who is asked.
struct SecretQuestion {
    let prompt: Phrase
    let source: SecretSource?
    /// The option that names a source.
    let option: String
    /// Whether an empty line from a source is a secret, as files of others have it.
    var canBeEmpty = false

    func answer() throws -> Secret { try answer(prompt) }

    /// A secret that is new, which a person types twice.
    ///
    /// - Parameter refusal: The reason why a secret cannot be the new one. A person is told, and asked again.
    func newSecret(refusal: (borrowing Secret) -> Phrase? = { _ in nil }) throws -> Secret {
        guard source == nil else {
            let secret = try answer(prompt)
            if let reason = refusal(secret) { throw CommandError(.failed, reason) }
            return secret
        }
        let difference: Phrase = "the two are not the same"
        var failure = difference
        for attempt in 1...Self.attempts {
            let first = try answer(prompt)
            if let reason = refusal(first) {
                failure = reason
            } else {
                let second = try answer(Phrase("The same again: "))
                if Self.areSame(first, second) { return first }
                failure = difference
            }
            if attempt < Self.attempts { try OutputStream.error.write("kanal: \(translated(failure))\n") }
        }
        throw CommandError(.failed, failure)
    }

    private static let attempts = 3

    private static func areSame(_ first: borrowing Secret, _ second: borrowing Secret) -> Bool {
        let left = first.bytes
        let right = second.bytes
        return constantTimeEqual(left, right)
    }

    private func answer(_ prompt: Phrase) throws -> Secret {
        if let source { return try source.read(canBeEmpty: canBeEmpty) }
        do throws(Console.Failure) {
            return try ProgramContext.current.terminal().secret(translated(prompt).printable)
        } catch {
            guard case .none = error else { throw error }
            throw CommandError(.usage, "there is no terminal to ask on: name the secret's source with \(option)")
        }
    }

    /// The message after a wrong answer.
    static func refusalOfPIN(triesLeft tries: Int?) -> Phrase {
        switch tries {
        case nil: "The PIN is wrong."
        case 1: "The PIN is wrong. One try is left."
        case let tries?: "The PIN is wrong. \(tries) tries are left."
        }
    }

    static func refusalOfPassword(triesLeft tries: Int?) -> Phrase {
        switch tries {
        case nil: "The password is wrong."
        case 1: "The password is wrong. One try is left."
        case let tries?: "The password is wrong. \(tries) tries are left."
        }
    }
}

/// The source of the activation password.
struct PasswordOptions: ParsableArguments {
    @Option(
        help: .saying(
            "Where the activation password is: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
            valueName: "source"),
        completion: .sources)
    var passwordSource: SecretSource?
}

/// The source of a key that another machine has shown.
struct KeyOptions: ParsableArguments {
    @Option(
        help: .saying(
            "Where the key is: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
            valueName: "source"),
        completion: .sources)
    var keySource: SecretSource?

    func read() throws -> SharedKey {
        let secret = try SecretQuestion(prompt: "Key: ", source: keySource, option: "--key-source").answer()
        return SharedKey(bytes: secret.bytes)
    }
}
