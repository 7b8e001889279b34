// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal

/// The way from a new token to one that works, with a step only where it is needed.
struct Guide {
    let output: OutputOptions

    /// How long a person is waited for who puts a reader or a token in its place.
    private static let patience = Duration.seconds(120)

    func run() async throws {
        let manager = try TokenManager()
        let tokens = try await tokens(of: manager)
        for token in tokens where token.isActivated { try show(token.information) }
        for token in tokens where !token.isActivated { try await activate(token) }
    }

    /// The tokens that are there; on a terminal, the first that comes.
    private func tokens(of manager: TokenManager) async throws -> [Token] {
        let tokens = try await manager.allTokens()
        guard tokens.isEmpty else { return tokens }
        let readers = try await manager.readers()
        if readers.isEmpty {
            try say("There is no reader. Plug the token or its reader in.")
        } else if readers.contains(where: { $0.flags.contains(.wireless) }) {
            try say("There is no token in \(readers.map(\.name).joined(separator: ", ")).")
            try say("Hold the button of the token until it blinks.")
        } else {
            try say("There is no token in \(readers.map(\.name).joined(separator: ", ")). Put the token in.")
        }
        guard OutputStream.output.style.width != nil, !output.json else {
            throw CommandError(.noToken, "there is no token")
        }
        let progress = ProgressLine("Waiting for a token. Ctrl-C ends.")
        defer { progress.end() }
        do {
            return [try await manager.find(attempts: Int(Self.patience / .seconds(1)))]
        } catch {
            throw error == .notFound ? CommandError(.noToken, "no token came") : error
        }
    }

    private func show(_ information: TokenInformation) throws {
        let style = OutputStream.output.style
        let label = information.label.map { " \"\($0.printable)\"" } ?? ""
        try output.show(
            TokenLine(
                information,
                "\(information.model.printable) \(information.serialText)\(label) is \(style.text("ready", .good))."))
    }

    private func activate(_ token: Token) async throws {
        let information = token.information
        try say("Found: \(information.description)".printable)
        try say(
            "Its secure channel has not been activated for this user. The activation password is on the card that came"
                + " with the token.")
        try await Activation(token: token, source: nil).run { try? say($0) }
        let style = OutputStream.output.style
        try say(style.text("This token now works with every program of this user.", .good))
        try say("The same without questions:")
        try say("  kanal pair \(token.information.serialText) --password-source file:PATH")
        if output.json { try show(token.information) }
    }

    private func say(_ text: String) throws { try output.say(text) }
}

/// A token in one line.
private struct TokenLine: Report {
    let serial: String
    let label: String?
    let reader: String
    let isActivated: Bool
    private let line: String

    private enum CodingKeys: CodingKey {
        case serial, label, reader, isActivated
    }

    init(_ information: TokenInformation, _ line: String) {
        serial = information.serialText
        label = information.label
        reader = information.reader
        isActivated = information.isActivated
        self.line = line
    }

    func text(_ style: Style) -> String { line.wrapped(to: style.width) + "\n" }
}
