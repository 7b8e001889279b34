// SPDX-License-Identifier: Apache-2.0
import Terminal
import Translation

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

    func write(_ octets: [UInt8]) throws {
        switch self {
        case .file(let file, _): try file.write(octets)
        case .standardOutput: try OutputStream.output.write(octets)
        }
    }

    /// Puts the file in its place.
    func finish() throws { if case .file(let file, _) = self { try file.finish() } }
}
