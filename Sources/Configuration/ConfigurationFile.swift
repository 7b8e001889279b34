// SPDX-License-Identifier: Apache-2.0
import Storage
import Translation

/// A configuration file, as far as it concerns one program.
///
/// Each line is empty, `key = value`, or `[program NAME]`, the beginning of a section for processes whose executable
/// has this name; settings before all sections are for every process. A comment begins with `#`, at the beginning of a
/// line or behind white space.
struct ConfigurationFile {
    let path: String
    /// The settings before all sections.
    private(set) var general: [Setting] = []
    /// The settings in the program's sections.
    private(set) var special: [Setting] = []
    private(set) var remarks: [Configuration.Remark] = []
    private(set) var isClosed = false

    /// The section that is being read.
    private enum Section {
        case general, program, otherProgram
        /// Its line is malformed.
        case unknown
    }

    /// The greatest size of a file, in bytes.
    static let limit = 65_536

    init(parsing content: [UInt8], path: String, program: String) {
        self.path = path
        guard let text = String(validating: content, as: UTF8.self) else {
            report("is not text in UTF-8", closing: true)
            return
        }
        var section = Section.general
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = ConfigurationFile.withoutComment(line)
            guard !line.isEmpty else { continue }
            if line.hasPrefix("[") {
                section = self.section(line, index + 1, program)
            } else if let setting = setting(line, index + 1, isOurs: section != .otherProgram) {
                switch section {
                case .general: general.append(setting)
                case .program: special.append(setting)
                case .otherProgram, .unknown: break
                }
            }
        }
    }

    /// A file that exists and cannot be read.
    init(path: String, failure: StorageError) {
        self.path = path
        report("cannot be read: \(failure)", closing: true)
    }

    /// The line that sets a key for the program.
    func line(of key: Key) -> Int? { (special + general).first { $0.key == key }?.line }

    /// Notes an error.
    mutating func report(_ text: Phrase, line: Int? = nil, closing: Bool) {
        remarks.append(Configuration.Remark(file: path, line: line, text: text, isError: true))
        if closing { isClosed = true }
    }

    /// Notes a remark that is not an error.
    mutating func remark(_ text: Phrase, line: Int? = nil) {
        remarks.append(Configuration.Remark(file: path, line: line, text: text, isError: false))
    }

    private mutating func section(_ line: String, _ number: Int, _ program: String) -> Section {
        let words = line.dropFirst().dropLast().split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard line.hasSuffix("]"), words.count == 2, words[0] == "program" else {
            report("\"\(line)\" is not a section; allowed is [program NAME]", line: number, closing: true)
            return .unknown
        }
        return words[1].trimmed == program ? .program : .otherProgram
    }

    private mutating func setting(_ line: String, _ number: Int, isOurs: Bool) -> Setting? {
        guard let sign = line.firstIndex(of: "=") else {
            report("\"\(line)\" is not of the form key = value", line: number, closing: isOurs)
            return nil
        }
        let name = line[..<sign].trimmed
        guard let key = Key(rawValue: name) else {
            let keys = Key.allCases.map(\.rawValue)
            let text: Phrase =
                if let nearest = Spelling.nearest(to: name, among: keys) {
                    "unknown key \"\(name)\"; did you mean \(nearest)?"
                } else {
                    "unknown key \"\(name)\"; allowed are \(keys.joined(separator: ", "))"
                }
            report(text, line: number, closing: isOurs)
            return nil
        }
        return Setting(key: key, value: line[line.index(after: sign)...].trimmed, line: number)
    }

    private static func withoutComment(_ line: Substring) -> String {
        var previous: Character = " "
        for index in line.indices {
            if line[index] == "#", previous.isWhitespace { return line[..<index].trimmed }
            previous = line[index]
        }
        return line.trimmed
    }
}
