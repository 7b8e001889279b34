// SPDX-License-Identifier: Apache-2.0
package import KanalKit
import Terminal
import Translation

/// Where a command finds tokens and pairings. A test gives it emulated ones.
package struct TokenAccess: Sendable {
    /// The access of the present task; the machine's readers unless another was given.
    @TaskLocal package static var current = TokenAccess()

    /// Begins to work with the readers.
    package var manager: @Sendable () throws(KanalError) -> TokenManager = {
        () throws(KanalError) in try TokenManager()
    }

    /// The readers of pcscd, and the user's pairings.
    package init() {}
}

/// A text in the language of the command.
func translated(_ phrase: Phrase) -> String { phrase.text(in: ProgramContext.current.catalogue) }
