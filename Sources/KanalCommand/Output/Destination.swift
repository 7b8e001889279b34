// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Terminal
import Translation

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
    static func check(_ path: String, replaces: Bool, isText: Bool = false) throws {
        guard path == "-" else { return try ResultFile.check(path, replaces: replaces) }
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
