// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Translation

/// A mistake in a command line that the argument parser refuses without the remedy.
enum TypingMistake {
    case subcommand(String, nearest: String?)
    /// An option for which the parser proposes a very different one.
    case option(String)
    /// An option with a secret, and the option that names the secret's place.
    case secret(option: String, source: String)

    var explanation: Phrase {
        switch self {
        case .subcommand(let typed, let nearest?): "Unknown subcommand '\(typed)'. Did you mean '\(nearest)'?"
        case .subcommand(let typed, nil): "Unknown subcommand '\(typed)'"
        case .option(let typed): "Unknown option '\(typed)'"
        case .secret(let option, let source):
            """
            '\(option)' is not taken: every user of this machine can read a command line. '\(source)' names the place \
            of the secret: file:PATH, env:NAME, fd:NUMBER, or - for standard input. Without it you are asked.
            """
        }
    }

    /// An option of the same command that helps; nil for another remedy.
    var remedy: String? {
        guard case .secret(_, let source) = self else { return nil }
        return source
    }

    /// - Parameter message: The parser's.
    /// - Returns: nil for a mistake of another kind.
    static func found(in arguments: [String], message: String) -> TypingMistake? {
        let options = options(in: message)
        let isWord = message.hasPrefix("Unexpected argument '") || message.contains(" unexpected arguments: '")
        guard options != nil || isWord else { return nil }
        let (command, typed) = command(of: arguments)
        if let typed {
            let names = command.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
            return .subcommand(typed, nearest: Spelling.nearest(to: typed, among: names))
        }
        guard let options else { return nil }
        let name = options.typed.withoutDashes.lowercased()
        let source = "--\(name)-source"
        if Kanal.helpMessage(for: command).contains("\(source) <") {
            return .secret(option: options.typed, source: source)
        }
        guard let proposed = options.proposed?.withoutDashes, Spelling.nearest(to: name, among: [proposed]) == nil
        else {
            return nil
        }
        return .option(options.typed)
    }

    /// The unknown option of a message, and the proposed one.
    private static func options(in message: String) -> (typed: String, proposed: String?)? {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 3, parts[0] == "Unknown option " else { return nil }
        return (parts[1], parts.count == 5 ? parts[3] : nil)
    }

    /// The command that words lead to, and the first word that is not a subcommand. Behind an option
    /// words could be its value.
    private static func command(of arguments: [String]) -> (any ParsableCommand.Type, unknown: String?) {
        var command: any ParsableCommand.Type = Kanal.self
        for argument in arguments where argument != "--json" {
            let below = command.configuration.subcommands
            guard !argument.hasPrefix("-"), !below.isEmpty else { break }
            guard let next = below.first(where: { $0.configuration.commandName == argument }) else {
                return (command, argument)
            }
            command = next
        }
        return (command, nil)
    }
}

extension String {
    fileprivate var withoutDashes: String { String(drop { $0 == "-" }) }
}
