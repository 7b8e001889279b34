// SPDX-License-Identifier: Apache-2.0

/// What can end a question without an answer.
package enum AskingError: Error, Equatable, Sendable {
    /// The user said no.
    case cancelled
    /// Time ran out, or the authenticator broke. The text says which, for logs; it is never a secret.
    case failed(String)
    /// The authenticator is configured, and is not there or cannot run. The text names it and the reason.
    case notInstalled(String)
    /// Nothing says how to ask this, or the process has more rights than who started it and asks nobody.
    case notConfigured
}
