// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Locking
import Terminal
import Translation

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

    func write(_ object: some Encodable, isOneOfMany: Bool) throws {
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
