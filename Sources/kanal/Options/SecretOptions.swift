// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal

extension SecretSource: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

/// Where the PIN comes from.
struct PINOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the PIN is: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
            valueName: "source"),
        completion: .file())
    var pinSource: SecretSource?

    /// Works with a token after the PIN was given. On a terminal a wrong PIN is asked for again, up to three times.
    func perform<Result: Sendable>(
        on token: Token, as role: Role = .user, _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        let name = token.information.serialText
        let prompt = role == .user ? "PIN of the token \(name): " : "Security officer's PIN of the token \(name): "
        for attempt in 1... {
            let pin: PIN? = try Self.pin(pinSource, prompt)
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await token.perform(as: role, pin: pin, body))
            } catch {
                result = .failure(error)
            }
            await token.forgetPIN()
            guard case .failure(let error) = result, case .pinIncorrect(let tries)? = error as? KanalError,
                pinSource == nil, attempt < 3, tries != 0
            else { return try result.get() }
            try OutputStream.error.write(Self.refusal(of: "PIN", triesLeft: tries) + "\n")
        }
        throw KanalError.cancelled
    }

    /// The PIN from its source, or from the terminal.
    static func pin(_ source: SecretSource?, _ prompt: String) throws -> PIN {
        let secret = try secret(source, prompt, option: "--pin-source")
        let octets = secret.bytes
        return PIN(octets: octets)
    }

    /// A secret from its source, or from the terminal.
    ///
    /// - Parameter option: The option that names another source.
    static func secret(_ source: SecretSource?, _ prompt: String, option: String) throws -> Secret {
        if let source { return try source.read() }
        do throws(Console.Failure) {
            return try Console().secret(prompt)
        } catch {
            guard case .none = error else { throw error }
            throw CommandError(.usage, "there is no terminal to ask on: say with \(option) where the secret is")
        }
    }

    /// What a person is told after a wrong answer.
    static func refusal(of name: String, triesLeft tries: Int?) -> String {
        switch tries {
        case nil: "The \(name) is wrong."
        case 1: "The \(name) is wrong. One try is left."
        case let tries?: "The \(name) is wrong. \(tries) tries are left."
        }
    }
}

/// Where the activation password comes from.
struct PasswordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the activation password is: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
            valueName: "source"),
        completion: .file())
    var passwordSource: SecretSource?
}
