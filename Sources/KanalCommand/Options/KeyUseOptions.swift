// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Locking
import Terminal
import Translation

/// The sources of all that the use of a private key needs: the PIN, and the password of the container that the key is in.
struct KeyUseOptions: ParsableArguments {
    @OptionGroup var pin: PINOptions

    @Option(
        help: .saying(
            """
            The source of the password of the key's container, if it has one: as for --pin-source. \
            (default: ask, once for each use of the key)
            """,
            valueName: "source"),
        completion: .askedSources)
    var containerPasswordSource: SecretSource?

    fileprivate static let passwordOption = "--container-password-source"

    /// Whether one of the secrets is on standard input.
    var usesStandardInput: Bool { [pin.pinSource, containerPasswordSource].contains(.descriptor(0)) }

    /// Works with a token, as `PINOptions` does.
    func perform<Result: Sendable>(
        on token: Token, _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        try await perform(on: token, body) { $0 }
    }

    /// As ``perform(on:_:)``, and goes on with the result before the login ends.
    func perform<First: Sendable, Result>(
        on token: Token, _ body: @escaping @Sendable (borrowing Session) throws -> First,
        then next: (First) async throws -> Result
    ) async throws -> Result {
        var (pin, option) = (pin, PINOptions.option)
        if token.information.isFolder {
            // The PIN of a container in a folder is its password.
            option = Self.passwordOption
            if pin.pinSource == nil { pin.pinSource = containerPasswordSource }
        }
        return try await PasswordAsking.$current.withValue(question(of: token)) { [pin, option] in
            try await pin.perform(on: token, by: option, body, then: next)
        }
    }

    /// The source of containers' passwords; nil for the authenticator of `kanal.conf`.
    private func question(of token: Token) -> PasswordAsking? {
        let context = ProgramContext.current
        switch containerPasswordSource {
        case .authenticator: return nil
        case nil where pin.pinSource == .authenticator: return nil
        case nil where token.hasAuthenticator && !context.hasTerminal: return nil
        case let source:
            let password = ContainerPassword(source: source)
            return PasswordAsking { label, wasWrong in
                let held = try ProgramContext.$current.withValue(context) { try password.answer(label, wasWrong) }
                return try held.shared()
            }
        }
    }
}

/// The password of a key's container: from a source, which is read once, or from the person at the terminal.
private final class ContainerPassword: Sendable {
    private let source: SecretSource?
    private let known = Lock<HeldPIN?>(nil)

    init(source: SecretSource?) { self.source = source }

    func answer(_ label: String, _ wasWrong: Bool) throws -> HeldPIN {
        let prompt: Phrase = "Password of the container with the key \(label): "
        let question = SecretQuestion(prompt: prompt, source: source, option: KeyUseOptions.passwordOption)
        guard source != nil else {
            if wasWrong {
                try OutputStream.error.write(translated(SecretQuestion.refusalOfPassword(triesLeft: nil)) + "\n")
            }
            do { return HeldPIN(try question.answer()) } catch Console.Failure.interrupted {
                throw KanalError.cancelled
            }
        }
        // A source has no other answer.
        guard !wasWrong else { throw KanalError.passwordIncorrect(triesLeft: nil) }
        if let known = known.withLock({ $0 }) { return known }
        let new = HeldPIN(try question.answer())
        known.withLock { $0 = new }
        return new
    }
}
