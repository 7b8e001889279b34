// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// The reason why a part of a name is none.
enum SubjectFault: Explained, Equatable {
    case empty
    case noType
    case noValue
    /// A character that must have a backslash before it.
    case bare(String)
    case nothingEscaped
    case notText
    case notDER
    case unknown(String, nearest: String?)
    case digits(Phrase, Int)
    case country(Phrase)
    case tooLong(Phrase, Int)
    case refused(Phrase)
    case needed(Phrase)

    private static let digits = "123456789012345"

    var explanation: Phrase { explanation(isAnswer: false) }

    /// - Parameter isAnswer: Whether the value alone was asked for.
    func explanation(isAnswer: Bool) -> Phrase {
        switch self {
        case .empty: "there is nothing between two commas, or at an end: a part is written as CN=Ann"
        case .noType: "there is no attribute with \"=\" behind it: a part is written as CN=Ann"
        case .noValue: "there is no value behind \"=\": a part is written as CN=Ann"
        case .bare(let character): "a backslash must be before \(character), as in CN=Ann\\\(character)Ben"
        case .nothingEscaped: "nothing is behind the backslash: two of them stand for one"
        case .notText: "the bytes behind backslashes are not UTF-8: a character is written as it is, as in CN=Ann"
        case .notDER: "the value behind \"#\" is DER in pairs of hexadecimal digits, as in CN=#0c03416e6e"
        case .unknown(let name, let nearest?): "unknown attribute \(name); did you mean \(nearest)?"
        case .unknown(let name, nil):
            "unknown attribute \(name); it is CN, O or INN, or an object identifier in digits and dots"
        case .digits(let name, let count):
            "\(name) is \(count) digits, as in \(isAnswer ? "" : "\(name)=")\(Self.digits.prefix(count))"
        case .country(let name):
            "\(name) is a country in two Latin letters, as in \(isAnswer ? "" : "\(name)=")RU"
        case .tooLong(let name, let count): "\(name) has at most \(count) characters"
        case .refused(let name): "\(name) does not take this value: it is too long, or has other characters"
        case .needed(let name): "\(name) is needed"
        }
    }
}
