// SPDX-License-Identifier: Apache-2.0
import Glibc
import Locking
package import Translation

/// All that a command has of its process: streams, the terminal, environment variables, the language.
///
/// It belongs to a task and its child tasks. A test creates a context of its own for each command, so that many run in
/// one process.
package struct ProgramContext: Sendable {
    /// The context of the present task; the process's own unless another was given.
    @TaskLocal package static var current = ProgramContext()

    /// The descriptor of standard input.
    package var input: Int32 = 0
    package var output = OutputStream(descriptor: 1)
    package var error = OutputStream(descriptor: 2)
    /// The terminal, opened for a question.
    package var terminal: @Sendable () throws(Console.Failure) -> any Conversation = {
        () throws(Console.Failure) in try Console()
    }
    /// The environment variables; nil for the process's.
    package var variables: [String: String]?
    /// The catalogue of the language of messages; nil for English.
    package var catalogue = Language.catalogue
    /// The width of the parser's help; nil for the width of the process's terminal.
    package var helpWidth: Int?
    /// The present time, in seconds since 1970.
    package var now: @Sendable () -> Int64 = { Int64(time(nil)) }
    /// Whether results go to a terminal; nil to ask it.
    package var hasReader: Bool?
    /// The command's record of its files.
    let files = FileRecord()

    /// The context of this process.
    package init() {}

    /// An environment variable; nil if it is not set.
    package func variable(_ name: String) -> String? {
        if let variables { return variables[name] }
        return unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Whether a person reads results as they come.
    package var isRead: Bool { hasReader ?? (output.style.width != nil) }

    /// Whether a person can be asked on a terminal.
    package var hasTerminal: Bool { (try? terminal()) != nil }
}

/// The files of one command.
final class FileRecord: Sendable {
    /// The arguments that were names of files.
    let names = Lock<Set<String>>([])
    /// Files that stay open when they were read as a whole, so that no result replaces one.
    let whole = Lock<[InputFile]>([])
}

/// A text in the language of the command.
func translated(_ phrase: Phrase) -> String { phrase.text(in: ProgramContext.current.catalogue) }
