// SPDX-License-Identifier: Apache-2.0
package import Translation

/// Something that is wrong on this machine, and what to do about it.
package struct Finding: Encodable, Sendable, Equatable {
    package enum Severity: String, Encodable, Sendable {
        /// Tokens cannot be used, or not by everything that should.
        case error
        /// Tokens work, and something is not as it should be.
        case warning
        /// Nothing is wrong.
        case information

        /// For people.
        var phrase: Phrase {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .information: "information"
            }
        }
    }

    /// The object of the check: a name that stays the same between versions.
    package let check: String
    package let severity: Severity
    /// One sentence with the facts that were seen. It may have text from outside.
    package let problem: Phrase
    /// One command, or one step in words.
    package let remedy: Phrase
    /// The identifier of the message of a log that means this: docs/Messages.md.
    package var message: MessageID?

    static func error(_ check: String, _ problem: Phrase, remedy: Phrase) -> Finding {
        Finding(check: check, severity: .error, problem: problem, remedy: remedy)
    }

    static func warning(_ check: String, _ problem: Phrase, remedy: Phrase) -> Finding {
        Finding(check: check, severity: .warning, problem: problem, remedy: remedy)
    }

    static func information(_ check: String, _ problem: Phrase, remedy: Phrase) -> Finding {
        Finding(check: check, severity: .information, problem: problem, remedy: remedy)
    }
}

extension MessageID: Encodable {}

extension Phrase {
    /// A command line, which is the same in every language.
    static func command(_ line: String) -> Phrase { Phrase(verbatim: line) }
}

extension String {
    /// The text as one word of a command line.
    var quoted: String {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_-./:=+,@%".unicodeScalars.contains(scalar))
        }
        if isPlain, !isEmpty { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
