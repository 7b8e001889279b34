// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Locking
import Terminal
import Translation

/// The text around the digits of base64 in a file, and its lines.
struct SignatureText: Sendable, Equatable {
    var before: [UInt8] = []
    /// The digits of a line; nil if all are in one.
    var width: Int?
    var lineBreak: [UInt8] = [0x0A]
    var after: [UInt8] = []
}

extension SignatureText {
    /// The text that a file has around a message, with lines or without.
    init(of text: [UInt8]) {
        func isAround(_ byte: UInt8) -> Bool { PEM.isSpace(byte) || byte >= 0x80 }
        let whole = PEM.message.digits(in: text) ?? text.indices
        let begin = text[whole].firstIndex { !isAround($0) } ?? whole.upperBound
        let end = (text[begin..<whole.upperBound].lastIndex { !isAround($0) } ?? begin - 1) + 1
        let digits = text[begin..<end]
        before = Array(text[..<begin])
        after = Array(text[end...])
        let line = digits.prefix { !PEM.isSpace($0) }
        width = line.count == digits.count ? nil : line.count
        let space = digits.dropFirst(line.count).prefix(while: PEM.isSpace)
        lineBreak = space.isEmpty ? [0x0A] : Array(space)
    }
}

/// The text and the name of a signature's file.
struct SignatureForm: ParsableArguments {
    @Flag(help: .saying("Write signatures in base64: one line, without headers."))
    var base64 = false

    @Option(
        help: .saying(
            "The ending of names of signed messages: .p7s, .sig or .sgn. (default: .p7m, beside a content .p7s)",
            valueName: "ending"))
    var `extension`: SignatureEnding?

    var encoding: SignatureEncoding { base64 ? .base64 : .binary }
}

/// The ending of a name that signed messages have.
enum SignatureEnding: String, CaseIterable, ExpressibleByArgument {
    case p7s = ".p7s"
    case sig = ".sig"
    case sgn = ".sgn"

    /// - Parameter argument: The dot may be missing.
    init?(argument: String) { self.init(rawValue: argument.hasPrefix(".") ? argument : ".\(argument)") }
}
