// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Terminal
import Translation

/// Whether a result may take the place of a file that is there already.
struct OverwriteOption: ParsableArguments, Sendable {
    @Flag(help: .saying("Replace an existing file."))
    var overwrite = false

    /// Finds out whether a result can go to a file, before a PIN is asked for or other work is done.
    ///
    /// - Parameter inputs: Files that will be read.
    func check(_ file: String?, besides inputs: [String] = []) throws {
        if let file { try ResultFile.check(file, replaces: overwrite, inputs: inputs) }
    }

    /// Begins to write a result.
    func open(_ file: String, isPrivate: Bool = false) throws -> ResultFile {
        try ResultFile(file, isPrivate: isPrivate, replaces: overwrite)
    }
}
