// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Terminal
import Translation

extension ArgumentHelp {
    /// The help for an argument, in the user's language.
    ///
    /// - Parameter valueName: The placeholder of its value.
    static func saying(_ abstract: Phrase, valueName: Phrase? = nil) -> ArgumentHelp {
        ArgumentHelp(stringLiteral: translated(abstract)).named(valueName.map(translated))
    }

    private func named(_ name: String?) -> ArgumentHelp {
        var help = self
        help.valueName = name
        return help
    }
}

extension Phrase: Encodable {
    /// Programs read English.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The words that ArgumentParser puts around ours, in the user's language.
///
/// It gives help and errors as finished English only, so that its texts alone are taken apart here.
enum ParserWords {
    /// The beginnings of lines.
    private static let beginnings: [(english: String, phrase: Phrase)] = [
        ("OVERVIEW: ", "OVERVIEW: "), ("USAGE: ", "USAGE: "), ("ARGUMENTS:", "ARGUMENTS:"), ("OPTIONS:", "OPTIONS:"),
        ("SUBCOMMANDS:", "SUBCOMMANDS:"), ("Help:  ", "Help:  "), ("Usage: ", "Usage: "),
    ]

    /// Parts of lines.
    private static let parts: [(english: String, phrase: Phrase)] = [
        ("(default: ", "(default: "), ("(values: ", "(values: "), ("; default: ", "; default: "),
        ("Show help information.", "Show help information."), ("Show the version.", "Show the version."),
        ("<subcommand>", "<subcommand>"), ("<options>", "<options>"),
    ]

    private static let error = "Error: "

    /// - Parameters:
    ///   - width: The width that the parser was given.
    ///   - other: A message in place of the error's.
    static func translated(_ text: String, width: Int, error other: Phrase? = nil) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let other else { return folded(lines.map(line), to: width).joined(separator: "\n") }
        let first = KanalCommand.translated("Error: ") + KanalCommand.translated(other).printable
        return ([first] + lines.drop { !$0.hasPrefix("Usage: ") }.map(line)).joined(separator: "\n")
    }

    /// The lines with the parser's column of descriptions folded again, where its words are longer in translation.
    private static func folded(_ lines: [String], to width: Int) -> [String] {
        let indent = String(repeating: " ", count: descriptionColumn)
        var result: [String] = []
        var carried: [Substring] = []
        for line in lines {
            var line = line[...]
            if !carried.isEmpty, line.hasPrefix(indent) {
                line = "\(indent)\(carried.joined(separator: " ")) \(line.dropFirst(descriptionColumn))"
            } else if !carried.isEmpty {
                result.append(indent + carried.joined(separator: " "))
            }
            carried = []
            while line.count > width, line.hasPrefix("  "), line.prefix(descriptionColumn).hasSuffix("  "),
                let space = line.dropFirst(descriptionColumn).lastIndex(of: " ")
            {
                carried.insert(line[line.index(after: space)...], at: 0)
                line = line[..<space]
            }
            result.append(String(line))
        }
        return result
    }

    /// The column in which the parser begins descriptions of options and subcommands.
    private static let descriptionColumn = 26

    private static func line(_ line: String) -> String {
        if line.hasPrefix(error) {
            return KanalCommand.translated("Error: ") + translated(message: String(line.dropFirst(error.count)))
        }
        let rest = line.drop { $0 == " " }
        if rest.hasPrefix("See '") {
            let sentence = translated(message: String(rest))
            return line.prefix(line.count - rest.count)
                + sentence.replacing("<subcommand>", with: KanalCommand.translated("<subcommand>"))
        }
        // The parser breaks lines within "; default: ", too.
        if rest.hasPrefix("default: ") {
            let words = KanalCommand.translated("default: ") + rest.dropFirst("default: ".count)
            return line.prefix(line.count - rest.count) + words
        }
        // A part that ends with a space may be the line's last, where the parser has cut the space off.
        var line = line + " "
        if let (english, phrase) = beginnings.first(where: { line.hasPrefix($0.english) }) {
            line = KanalCommand.translated(phrase) + line.dropFirst(english.count)
        }
        for (english, phrase) in parts {
            line = line.replacing(english, with: KanalCommand.translated(phrase))
        }
        return defaultSubcommand(in: String(line.dropLast()))
    }

    /// The mark of a default subcommand, in its column, which stays as wide as it is.
    private static func defaultSubcommand(in line: String) -> String {
        guard let mark = line.firstRange(of: "(default)") else { return line }
        let translation = KanalCommand.translated("(default)")
        let more = translation.count - line[mark].count
        let rest = line[mark.upperBound...]
        let spaces = rest.prefix { $0 == " " }.count
        return String(line[..<mark.lowerBound]) + translation + String(rest.dropFirst(max(0, min(more, spaces - 2))))
    }

    /// A sentence whose variable parts are in quotation marks.
    private static func translated(message: String) -> String {
        let halves = message.split(separator: "'", omittingEmptySubsequences: false)
        guard halves.count > 1, !halves.count.isMultiple(of: 2) else {
            return KanalCommand.translated(Phrase(key: message))
        }
        var parts = Phrase.StringInterpolation(
            literalCapacity: message.utf8.count, interpolationCount: halves.count / 2)
        for (index, half) in halves.enumerated() {
            if index.isMultiple(of: 2) {
                parts.appendLiteral(index == 0 ? String(half) : "'" + half)
            } else {
                parts.appendLiteral("'")
                parts.appendInterpolation(half)
            }
        }
        return KanalCommand.translated(Phrase(stringInterpolation: parts))
    }

    /// The sentences that are known.
    static let sentences: [Phrase] = [
        "See '\("")' for detailed help.", "See '\("")' for more information.", "Missing expected argument '\("")'",
        "Unknown option '\("")'", "Unknown option '\("")'. Did you mean '\("")'?", "Missing value for '\("")'",
        "Unexpected argument '\("")'", "2 unexpected arguments: '\("")', '\("")'",
        "The value '\("")' is invalid for '\("")'",
        "The value '\("")' is invalid for '\("")'. Please provide one of '\("")', '\("")' or '\("")'.",
        "The value '\("")' is invalid for '\("")'. Please provide one of the following:",
        "The option '\("")' does not take any value, but '\("")' was specified.",
    ]
}
