// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A text for people. Variable parts are kept apart from the words, so that the words can be looked up in a catalogue.
///
/// A phrase can be a literal: `"no token is called \(name)"` has the key `no token is called {0}` and one argument. An
/// argument can be a phrase itself.
package struct Phrase: Sendable, Equatable, ExpressibleByStringInterpolation, CustomStringConvertible {
    fileprivate enum Argument: Sendable, Equatable {
        case text(String)
        case phrase(Phrase)
    }

    /// The English words, with `{0}`, `{1}` and so on where the arguments stand.
    package let key: String
    private let arguments: [Argument]

    package init(stringLiteral text: String) { (key, arguments) = (text, []) }

    package init(stringInterpolation: StringInterpolation) {
        (key, arguments) = (stringInterpolation.key, stringInterpolation.arguments)
    }

    /// A text that is the same in every language, such as a command line or a name.
    package init(verbatim text: String) { (key, arguments) = ("{0}", [.text(text)]) }

    /// A whole text of others, such as one of strerror(3). The catalogue may have it as it is.
    package init(key text: String) { (key, arguments) = (text, []) }

    /// The system's words for an error.
    package init(errno code: Int32) { self.init(key: unsafe String(cString: strerror(code))) }

    /// Phrases one behind the other, with commas between.
    package init(listing phrases: [Phrase]) {
        var parts = StringInterpolation(literalCapacity: 0, interpolationCount: phrases.count)
        for (index, phrase) in phrases.enumerated() {
            if index > 0 { parts.appendLiteral(", ") }
            parts.appendInterpolation(phrase)
        }
        self.init(stringInterpolation: parts)
    }

    /// The text in English.
    package var description: String { arguments.isEmpty ? key : text(key) { $0.description } }

    /// The text in the language of a catalogue, as far as it has the words.
    package func text(in catalogue: Catalogue?) -> String {
        guard let catalogue else { return description }
        if arguments.isEmpty { return catalogue[key] ?? key }
        return text(translation(of: key, in: catalogue) ?? key) { $0.text(in: catalogue) }
    }

    /// The catalogue's translation of the key; nil if its arguments differ, since none may be lost or made up.
    private func translation(of key: String, in catalogue: Catalogue) -> String? {
        guard let found = catalogue[key], Set(Placeholders.numbers(of: found)) == Set(arguments.indices) else {
            return nil
        }
        return found
    }

    private func text(_ words: String, _ tell: (Phrase) -> String) -> String {
        Placeholders.filled(words) { number in
            guard arguments.indices.contains(number) else { return nil }
            switch arguments[number] {
            case .text(let text): return text
            case .phrase(let phrase): return tell(phrase)
            }
        }
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var key = ""
        fileprivate var arguments: [Argument] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            key.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        package mutating func appendLiteral(_ text: String) { key += text }

        package mutating func appendInterpolation(_ text: some CustomStringConvertible) {
            append(.text(text.description))
        }

        package mutating func appendInterpolation(_ phrase: Phrase) { append(.phrase(phrase)) }

        package mutating func appendInterpolation(_ error: some Explained) { append(.phrase(error.explanation)) }

        private mutating func append(_ argument: Argument) {
            key += "{\(arguments.count)}"
            arguments.append(argument)
        }
    }
}

extension Character {
    fileprivate var isDecimalDigit: Bool { ("0"..."9").contains(self) }
}

/// The places of arguments in words: a number of one or two digits in braces.
enum Placeholders {
    /// The words with `argument`'s result for each number; without a result, the placeholder stays.
    static func filled(_ words: String, _ argument: (Int) -> String?) -> String {
        var text = ""
        var rest = words[...]
        while let start = rest.firstIndex(of: "{") {
            text += rest[..<start]
            rest = rest[start...]
            if let (number, end) = place(at: rest), let value = argument(number) {
                text += value
                rest = rest[end...]
            } else {
                text += "{"
                rest = rest.dropFirst()
            }
        }
        return text + rest
    }

    static func numbers(of words: String) -> [Int] {
        var numbers: [Int] = []
        _ = filled(words) { number in
            numbers.append(number)
            return ""
        }
        return numbers
    }

    private static func place(at text: Substring) -> (number: Int, end: String.Index)? {
        let digits = text.dropFirst().prefix(3).prefix(while: \.isDecimalDigit)
        guard (1...2).contains(digits.count), text[digits.endIndex...].first == "}", let number = Int(digits) else {
            return nil
        }
        return (number, text.index(after: digits.endIndex))
    }
}
