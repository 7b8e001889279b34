// SPDX-License-Identifier: Apache-2.0
import Tokens
package import Translation

/// A cause in words, as errors and events of this library describe it.
///
/// ``description`` is the text in English. Two explanations are equal if their texts are.
public struct Explanation: Sendable, Equatable, CustomStringConvertible, ExpressibleByStringInterpolation {
    /// The words and their arguments, which `kanal` shows in the user's language.
    package let phrase: Phrase
    /// The message by which `kanal doctor` explains it.
    package private(set) var id: MessageID?

    package init(_ phrase: Phrase) { self.phrase = phrase }

    init(_ reason: Reason) { (phrase, id) = (reason.phrase, reason.id) }

    /// A text without variable parts.
    public init(stringLiteral text: String) { phrase = Phrase(stringLiteral: text) }

    /// A text with variable parts.
    public init(stringInterpolation: StringInterpolation) {
        phrase = Phrase(stringInterpolation: stringInterpolation.phrase)
    }

    public var description: String { phrase.description }

    /// Whether two texts are the same.
    public static func == (first: Self, second: Self) -> Bool { first.description == second.description }

    /// The parts of a text, the variable ones kept apart from the words.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var phrase: Phrase.StringInterpolation

        /// Makes room for the parts.
        public init(literalCapacity: Int, interpolationCount: Int) {
            phrase = Phrase.StringInterpolation(
                literalCapacity: literalCapacity, interpolationCount: interpolationCount)
        }

        /// Appends words.
        public mutating func appendLiteral(_ text: String) { phrase.appendLiteral(text) }

        /// Appends a variable part.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            phrase.appendInterpolation(String(describing: value))
        }

        package mutating func appendInterpolation(_ words: Phrase) { phrase.appendInterpolation(words) }
        package mutating func appendInterpolation(_ error: some Explained) { phrase.appendInterpolation(error) }
    }
}
