// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Locking
import Terminal
import Translation

/// The form in which the bytes of a signature are in a file.
enum SignatureEncoding: Sendable, Equatable {
    /// As they are.
    case binary
    /// Base64 in one line, without a line break at its end: all decoders read it, also those that take neither a line
    /// break nor any other character beside the digits.
    case base64
    /// Base64 as a file has it, which was read.
    case text(SignatureText)

    var isText: Bool { self != .binary }
}

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

/// A file of a signature that is being written.
final class SignatureFile: Sendable {
    private let destination: Destination
    private let text: SignatureText?
    private let state = Lock(State())

    fileprivate struct State {
        /// Bytes that have no digits yet: fewer than three.
        var pending: [UInt8] = []
        /// The number of digits in the last line.
        var column = 0
        var hasBegun = false
    }

    init(_ destination: Destination, _ encoding: SignatureEncoding) {
        self.destination = destination
        text =
            switch encoding {
            case .binary: nil
            // A line of a terminal, or of a shell's variable, ends.
            case .base64: SignatureText(after: destination.name == nil ? [0x0A] : [])
            case .text(let text): text
            }
    }

    /// The file's name; nil for standard output.
    var name: String? { destination.name }

    func write(_ bytes: [UInt8]) throws {
        guard let text else { return try destination.write(bytes) }
        let digits = state.withLock { state in
            let all = state.pending + bytes
            let count = all.count - all.count % 3
            state.pending = Array(all[count...])
            return state.lines(of: all[..<count], text)
        }
        try destination.write(digits)
    }

    /// Puts the file in its place.
    func finish() throws {
        if let text {
            let rest = state.withLock { state in
                defer { state.pending = [] }
                return state.lines(of: state.pending[...], text)
            }
            try destination.write(rest + text.after)
        }
        try destination.finish()
    }
}

extension SignatureFile.State {
    /// The digits of bytes, in lines that go on with the last one.
    fileprivate mutating func lines(of bytes: ArraySlice<UInt8>, _ text: SignatureText) -> [UInt8] {
        var lines: [UInt8] = hasBegun ? [] : text.before
        hasBegun = true
        var digits = Data(bytes).base64EncodedData()[...]
        guard let width = text.width, width > 0 else { return lines + digits }
        while !digits.isEmpty {
            if column == width {
                lines += text.lineBreak
                column = 0
            }
            let part = digits.prefix(width - column)
            lines += part
            column += part.count
            digits = digits.dropFirst(part.count)
        }
        return lines
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
