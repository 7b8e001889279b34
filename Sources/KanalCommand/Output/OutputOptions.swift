// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Locking
import Terminal
import Translation

/// A result, as text for people and as JSON for programs.
protocol Report: Encodable, Sendable {
    /// The result in lines, each with its end.
    func text(_ style: Style) -> String
}

/// How results are written.
struct OutputOptions: ParsableArguments {
    @Flag(help: .saying("Write the result as JSON, whose schema is in kanal.schema.json."))
    var json = false

    /// Writes a result to standard output.
    ///
    /// - Parameters:
    ///   - isOneOfMany: Whether others follow: each is one line of JSON then.
    ///   - error: The error with which the command ends all the same.
    func show(_ report: some Report, isOneOfMany: Bool = false, endingWith error: (any Error)? = nil) throws {
        guard json else { return try OutputStream.output.write(report.text(OutputStream.output.style)) }
        try JSONOutput.current.write(
            Envelope(report: report, error: error.flatMap(ErrorReport.init)), isOneOfMany: isOneOfMany)
    }

    /// Reports progress or success: on standard output as text, and nowhere for programs that read JSON.
    func say(_ text: Phrase) throws {
        guard !json else { return }
        try OutputStream.output.write((translated(text) + "\n").wrapped(to: OutputStream.output.style.width))
    }

    /// Shows a command line, in one piece so that it can be copied.
    func suggest(_ command: String) throws {
        guard !json else { return }
        try OutputStream.output.write("  \(command)\n")
    }
}

/// A result with the version of the schema beside its own members, and the error if there is one.
private struct Envelope<Content: Report>: Encodable {
    let report: Content
    let error: ErrorReport?

    private enum Key: CodingKey {
        case version, error
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .version)
        try container.encodeIfPresent(error, forKey: .error)
    }
}

/// The objects that a command writes to standard output. An error follows, unless the result was written already.
final class JSONOutput: Sendable {
    /// Each command has its own.
    @TaskLocal static var current = JSONOutput()

    private enum State {
        case nothing, lines, result
    }

    private let state = Lock(State.nothing)

    fileprivate func write(_ object: some Encodable, isOneOfMany: Bool) throws {
        state.withLock { $0 = isOneOfMany ? .lines : .result }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !isOneOfMany { encoder.outputFormatting.insert(.prettyPrinted) }
        try OutputStream.output.write(encoder.encode(object).withoutTerminalCharacters + [0x0A])
    }

    /// Writes the error with which the command ends.
    func write(_ error: ErrorReport) throws {
        let state = state.withLock { $0 }
        guard state != .result else { return }
        try write(Failure(error: error), isOneOfMany: state == .lines)
    }

    private struct Failure: Encodable {
        let error: ErrorReport
        let version = 1
    }
}

/// The destination of a result: a file that is written whole or not at all, or standard output.
enum Destination: Sendable {
    case file(ResultFile, name: String)
    /// A thread of its own, which knows no context, may write to it.
    case standardOutput(OutputStream)

    /// - Parameters:
    ///   - path: `-` for standard output.
    ///   - replaces: Whether the file may take the place of another one.
    ///   - isText: Whether a terminal shows the result.
    ///   - replacesInput: Whether it may be a file that was read, which the result has all of.
    init(_ path: String, replaces: Bool, isText: Bool = false, replacesInput: Bool = false) throws {
        guard path == "-" else {
            self = .file(try ResultFile(path, replaces: replaces, replacesInput: replacesInput), name: path)
            return
        }
        if !isText { try OutputStream.output.requireBinary() }
        self = .standardOutput(.output)
    }

    /// Finds out whether a result can go there, before a PIN is asked for.
    ///
    /// - Parameter inputs: Files that will be read.
    static func check(_ path: String, replaces: Bool, isText: Bool = false, inputs: [String]) throws {
        guard path == "-" else { return try ResultFile.check(path, replaces: replaces, inputs: inputs) }
        if !isText { try OutputStream.output.requireBinary() }
    }

    /// The file's name.
    var name: String? {
        if case .file(_, let name) = self { name } else { nil }
    }

    func write(_ bytes: [UInt8]) throws {
        switch self {
        case .file(let file, _): try file.write(bytes)
        case .standardOutput(let stream): try stream.write(bytes)
        }
    }

    /// Puts the file in its place.
    func finish() throws { if case .file(let file, _) = self { try file.finish() } }
}
