// SPDX-License-Identifier: Apache-2.0

package import Translation

/// The reasons why a question ends without an answer.
package enum AskingError: Error, Equatable, Sendable {
    /// The user has declined.
    case cancelled
    /// Time ran out, or the authenticator broke. The text has the cause, for logs; it is never a secret.
    case failed(Phrase)
    /// The authenticator is configured, and is missing or cannot run. The text names it and the reason.
    case notInstalled(Phrase)
    /// No authenticator is configured for this, or the process has more rights than the user who started it and never
    /// asks.
    case notConfigured
}
