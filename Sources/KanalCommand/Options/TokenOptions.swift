// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KanalKit
import Terminal
import Translation

/// Which token is meant.
struct TokenOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: .saying(
            "The token: its serial number, label or reader, or a pkcs11: URI. (default: the only one)",
            valueName: "token"),
        completion: .tokens)
    var token: String?

    @OptionGroup var folder: ContainerOption

    func find() async throws -> Token { try await Token.find(named: token, in: folder.container) }
}

/// A key container in place of a token.
struct ContainerOption: ParsableArguments {
    @Option(
        help: .saying(
            "A folder that is a key container of CryptoPro CSP, or contains some. Tokens in readers are ignored then.",
            valueName: "folder"),
        completion: .directory)
    var container: String?
}

extension Token {
    /// The token with a name; without one, the only token.
    ///
    /// - Parameter folder: The folder whose containers count in place of tokens in readers.
    static func find(named name: String?, in folder: String? = nil) async throws -> Token {
        if let name {
            do {
                return try await TokenAccess.asking(in: folder) { manager in try await manager.find(named: name) }
            } catch KanalError.notFound {
                throw CommandError(.noToken, "no token is called \(name): \"kanal readers\" lists those that are there")
            }
        }
        let tokens = try await TokenAccess.asking(in: folder) { manager in try await manager.allTokensForWork() }
        guard let first = tokens.first else {
            throw CommandError(.noToken, "there is no token in any reader: \"kanal\" shows the next step")
        }
        guard tokens.count == 1 else {
            throw CommandError(
                .noToken,
                "there are several tokens: name one of \(Phrase(listing: tokens.map(\.information.caption)))",
                of: KanalError.ambiguous([]))
        }
        return first
    }
}

extension CompletionKind {
    /// The serial numbers and labels of the tokens that are there.
    static let tokens = CompletionKind.custom { (_: [String], _: Int, _: String) async -> [String] in
        guard let tokens = try? await TokenAccess.current.manager().allTokens() else { return [] }
        return tokens.map(\.information).flatMap { [$0.serialText, $0.label ?? ""] }
            .filter { !$0.isEmpty && $0 == $0.printable }.forShell
    }
}

/// Shows on the terminal that work waits for a token that is away, or that was replaced by a different one.
final class AbsenceLine: Sendable {
    private let task: Task<Void, Never>

    init(_ token: Token) {
        let (name, states) = (token.information.serialText, token.states)
        task = Task {
            var line: ProgressLine?
            for await state in states {
                line?.end()
                switch state {
                case .normal, .completed: line = nil
                case .waitingForToken: line = ProgressLine("Waiting for the token \(name). Ctrl-C cancels.")
                case .wrongToken: line = ProgressLine("This is a different token. Waiting for \(name). Ctrl-C cancels.")
                }
            }
            line?.end()
        }
    }

    deinit { task.cancel() }
}
