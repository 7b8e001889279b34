// SPDX-License-Identifier: Apache-2.0
import KanalESIA
import KanalKit
import Terminal
import Translation

/// The reason why a command failed.
struct CommandError: Explained {
    let status: ExitStatus
    /// The cause, and the remedy if known.
    let explanation: Phrase
    /// The error that the explanation adds a remedy to, or the reason of all failures that it sums up.
    let cause: (any Error)?
    /// A command, or an option of this one, that helps.
    let remedy: String?

    init(_ status: ExitStatus, _ explanation: Phrase, of cause: (any Error)? = nil, remedy: String? = nil) {
        self.status = status
        self.explanation = explanation
        self.cause = cause
        self.remedy = remedy
    }
}
