// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
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
    /// - Parameter isOneOfMany: Whether others follow: each is one line of JSON then.
    func show(_ report: some Report, isOneOfMany: Bool = false) throws {
        guard json else { return try OutputStream.output.write(report.text(OutputStream.output.style)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !isOneOfMany { encoder.outputFormatting.insert(.prettyPrinted) }
        try OutputStream.output.write(encoder.encode(Envelope(report: report)).withoutTerminalCharacters + [0x0A])
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

/// A result with the version of the schema beside its own members.
private struct Envelope<Content: Report>: Encodable {
    let report: Content

    private enum Key: CodingKey {
        case version
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .version)
    }
}

/// The destination of a result: a file that is written whole or not at all, or standard output.
enum Destination: Sendable {
    case file(ResultFile, name: String)
    case standardOutput

    /// - Parameter path: `-` for standard output.
    init(_ path: String) throws {
        guard path == "-" else {
            self = .file(try ResultFile(path), name: path)
            return
        }
        guard OutputStream.output.style.width == nil else {
            throw CommandError(.usage, "the result is not text for a terminal: name a file with --output")
        }
        self = .standardOutput
    }

    /// The file's name.
    var name: String? {
        if case .file(_, let name) = self { name } else { nil }
    }

    func write(_ bytes: [UInt8]) throws {
        switch self {
        case .file(let file, _): try file.write(bytes)
        case .standardOutput: try OutputStream.output.write(bytes)
        }
    }

    /// Puts the file in its place.
    func finish() throws { if case .file(let file, _) = self { try file.finish() } }
}
