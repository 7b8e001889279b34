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
        try OutputStream.output.write(encoder.encode(Envelope(report: report)) + [0x0A])
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
