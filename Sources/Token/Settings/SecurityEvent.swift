// SPDX-License-Identifier: Apache-2.0
package import Logging

extension Logger {
    /// The metadata key that marks a message for the administrator: its value is `event` or `error`.
    package static let securityEventKey = "security"

    /// Logs a security event: something that looks like an attack on a token, or that weakens its protection. The log's
    /// handler shows it to the administrator, even if the log itself is not read.
    ///
    /// - Parameter reader: The PC/SC name of the token's reader.
    package func securityEvent(_ message: Logger.Message, reader: String) {
        warning(message, metadata: [Self.securityEventKey: "event", "reader": "\(reader)"])
    }

    /// Logs a suspected attack on this process. The administrator is shown it, too.
    package func attack(_ message: Logger.Message) { warning(message, metadata: [Self.securityEventKey: "event"]) }

    /// Logs why tokens cannot be used, or not as the user would expect, until this machine is changed: an error of the
    /// configuration or of a store of pairings. The administrator is shown it, too.
    package func administratorError(_ message: Logger.Message) {
        error(message, metadata: [Self.securityEventKey: "error"])
    }
}
