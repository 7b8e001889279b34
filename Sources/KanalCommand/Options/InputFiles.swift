// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Terminal
import Translation

/// The files that a command reads.
struct InputFiles: ParsableArguments {
    @Argument(
        help: .saying("The files, or - for standard input.", valueName: "files"), completion: .file(),
        transform: FileName.argument)
    var files: [String]

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError(translated("name a file, or - for standard input")) }
    }

    /// - Parameters:
    ///   - isOfOne: Whether an option that goes with one file is given.
    ///   - rule: The sentence with these options.
    func require(isOfOne: Bool, _ rule: Phrase) throws {
        guard files.count == 1 || !(isOfOne || files.contains("-")) else { throw ValidationError(translated(rule)) }
    }

    /// Refuses --json without a file for the result.
    func validate(_ output: OutputOptions, destination: String?) throws {
        guard !output.json || (destination ?? files[0]) != "-" else {
            throw ValidationError(translated("--json goes with files: name one with --output"))
        }
    }
}
