// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

/// The source of the PIN.
struct PINOptions: ParsableArguments {
    @Option(
        help: .saying(
            """
            The source of the PIN: file:PATH, env:NAME, fd:NUMBER, - for standard input, or authenticator for the \
            program that kanal.conf names. (default: ask on the terminal, or without one through that program)
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
        // The program asks for the PIN of a role.
        if known == nil,
            pinSource == .authenticator
                || (pinSource == nil && token.hasAuthenticator && !ProgramContext.current.hasTerminal)
        {
            return HeldPIN(try await token.askForPIN(of: role, after: refusal))
        }
        var prompt: Phrase = "\(name): "
        if let left, left <= Self.fewTries { prompt = "\(name) (tries left: \(left)): " }
        return HeldPIN(try SecretQuestion(prompt: prompt, source: pinSource, option: option).answer())
    }

    /// The tries that a PIN has left, before a question; nil if unknown.
    private static func triesLeft(of role: Role, _ token: Token, after refusal: KanalError?) async throws -> Int? {
        if case .pinIncorrect(let tries)? = refusal { return tries }
        try await token.perform { _ in }
        // The state that was read when the token was found costs no command.
        if role == .user, token.information.pinTriesLeft ?? 0 > fewTries { return nil }
        let details = try await token.details()
        return (role == .user ? details.userPIN : details.officerPIN)?.triesLeft
    }

    /// The PIN, once the token has accepted it. After a wrong typed PIN the person is asked again.
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
            && !ProgramContext.current.hasTerminal && !token.information.hasPINPad
    }

    /// Whether the PIN is typed at the reader.
    private func isTypedAtReader(_ token: Token) -> Bool {
        guard pinSource == nil, token.information.hasPINPad else { return false }
        return ProgramContext.current.hasTerminal || !token.answersForUser
    }

    /// Says on the terminal that the PIN is to be typed at the reader.
    private func pointToReader(_ role: Role, _ token: Token, after refusal: KanalError?) async throws {
        let left = try await Self.triesLeft(of: role, token, after: refusal)
        if left == 0 { throw LockedPIN(role).refusal }
        let name = Self.name(of: role, token)
        let text: Phrase =
            if let left, left <= Self.fewTries {
                "\(name): type it at the reader (tries left: \(left))"
            } else {
                "\(name): type it at the reader"
            }
        try OutputStream.error.write(translated(text).printable + "\n")
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
        let name = Self.name(of: role, token)
        let absence = AbsenceLine(token)
        defer { withExtendedLifetime(absence) {} }
        // The work is done in a thread, which has the context of no task by itself.
        let context = ProgramContext.current
        var refusal: KanalError?
        var attempt = 1
        do {
            while true {
                let isAtReader = isTypedAtReader(token)
                let pin = isAtReader ? HeldPIN() : try await read(name, of: role, token, after: refusal, by: option)
                if isAtReader { try await pointToReader(role, token, after: refusal) }
                let work: @Sendable (borrowing Session) throws -> First = { session in
                    try ProgramContext.$current.withValue(context) { try body(session) }
                }
                let first: First
                do {
                    first =
                        isAtReader
                        ? try await token.performAtReader(as: role, isShown: !context.hasTerminal, work)
                        : try await token.perform(as: role, pin: pin.value, work)
                } catch {
                    // The token is logged out, also if the work was cancelled.
                    await token.forgetPIN()
                    guard case .pinIncorrect(let tries)? = error as? KanalError, asks, tries != 0,
                        attempt < Self.attempts
                    else { throw error }
                    refusal = .pinIncorrect(triesLeft: tries)
                    let text =
                        token.information.isFolder
                        ? SecretQuestion.refusalOfPassword(triesLeft: nil)
                        : SecretQuestion.refusalOfPIN(triesLeft: tries)
                    try OutputStream.error.write(translated(text) + "\n")
                    attempt += 1
                    continue
                }
                // A PIN that is wrong later on is another question's.
                let result: Result
                do { result = try await next(first) } catch {
                    await token.forgetPIN()
                    throw error
                }
                await token.forgetPIN()
                return result
            }
        } catch {
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

    /// The name of the PIN in a question.
    static func name(of role: Role, _ token: Token) -> Phrase {
        if token.information.isFolder { return "Password of the container \(token.information.label ?? "")" }
        let serial = token.information.serialText
        return role == .user ? "PIN of the token \(serial)" : "Security officer's PIN of the token \(serial)"
    }
}
