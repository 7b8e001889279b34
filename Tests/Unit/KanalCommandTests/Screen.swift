// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalCommand
import Terminal
import TestSupport
import Testing
import Translation

/// The commands of a test and all that they have shown, as a file of the folder Screens has them.
///
/// A command's line begins with `$`. What the terminal has shown follows, each line behind `?`; then standard output as
/// it is, standard error behind `!`, and the exit status unless it is 0.
struct Screen {
    /// The language of the user.
    enum Language {
        case english, russian

        private static let translations: Catalogue? = {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../../Translations/ru.po")
            return (try? String(contentsOf: file, encoding: .utf8)).flatMap { CatalogueFile(po: $0).catalogue }
        }()

        var catalogue: Catalogue? { self == .russian ? Self.translations : nil }
        fileprivate var start: String { self == .russian ? "$ LANGUAGE=ru kanal" : "$ kanal" }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Screens")
    /// Whether the files are written, and not compared.
    private static let accepts = ProcessInfo.processInfo.environment["KANAL_SCREENS"] == "accept"

    private var text = ""
    private var masks: [(pattern: String, words: String)] = []

    /// The names and contents of all files.
    static func all() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, try String(contentsOf: folder.appending(path: name), encoding: .utf8))
            })
    }

    /// Shows `words` in place of what differs in each run.
    mutating func mask(_ text: String, as words: String) {
        masks.append((NSRegularExpression.escapedPattern(for: text), NSRegularExpression.escapedTemplate(for: words)))
    }

    /// The same by a regular expression.
    mutating func mask(pattern: String, as words: String) { masks.append((pattern, words)) }

    /// The same for times and dates. One of another year takes their place, so that JSON stays as its schema says.
    mutating func maskTimes() {
        mask(pattern: "20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z", as: "2000-01-01T00:00:00Z")
        mask(pattern: "20[0-9]{2}-[0-9]{2}-[0-9]{2}(?!T)", as: "2000-01-01")
    }

    /// Adds a command.
    mutating func add(
        _ line: String, _ language: Language, terminal: String, output: [UInt8], errors: [UInt8],
        _ status: KanalCommand.ExitStatus
    ) {
        text += "\(language.start)\(line.isEmpty ? "" : " ")\(line.printable)\n"
        text += Self.lines(terminal, behind: "? ")
        text += Self.isText(output) ? String(decoding: output, as: UTF8.self) : "(\(output.count) bytes)\n"
        if !text.hasSuffix("\n") { text += "(no line break)\n" }
        text += Self.lines(String(decoding: errors, as: UTF8.self), behind: "! ")
        if status != .done { text += "exit status \(status.rawValue)\n" }
        text += "\n"
    }

    private static func lines(_ text: String, behind start: String) -> String {
        guard !text.isEmpty else { return "" }
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(text.hasSuffix("\n") ? 1 : 0)
            .map { "\(start)\($0)\n" }.joined()
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil && !bytes.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x1B }
    }

    /// Compares all commands with a file; or writes it, if the variable `KANAL_SCREENS` is `accept`.
    func expect(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var shown = text
        for mask in masks {
            shown = shown.replacingOccurrences(of: mask.pattern, with: mask.words, options: .regularExpression)
        }
        let file = Self.folder.appending(path: name + ".txt")
        if Self.accepts { return try Data(shown.utf8).write(to: file) }
        let wanted = try String(contentsOf: file, encoding: .utf8)
        let (new, old) = (shown.split(separator: "\n"), wanted.split(separator: "\n"))
        let place = zip(new, old).enumerated().first { $1.0 != $1.1 }?.offset ?? min(new.count, old.count)
        let difference =
            "\(name).txt has \"\(old.dropFirst(place).first ?? "")\", "
            + "and the screen \"\(new.dropFirst(place).first ?? "")\": see Tests/README.md"
        #expect(shown == wanted, "\(difference)", sourceLocation: sourceLocation)
    }
}
