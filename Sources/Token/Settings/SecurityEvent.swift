// SPDX-License-Identifier: Apache-2.0
package import Logging
package import Translation

/// Messages that `kanal doctor --log` explains. Each has its identifier in the metadata.
extension Logger {
    /// The metadata key that marks a message for the administrator: its value is `event` or `error`.
    package static let securityEventKey = "security"
    /// The metadata key of a message's identifier.
    package static let messageIDKey = "id"

    /// Logs a security event: a possible attack on a token or on this process, or a weakened protection. The log's
    /// handler shows it to the administrator, even if the log itself is not read.
    ///
    /// - Parameter reader: The PC/SC name of the token's reader.
    package func securityEvent(_ id: MessageID, _ message: Logger.Message, reader: String? = nil) {
        identified(.warning, id, message, reader: reader, security: "event")
    }

    /// Logs why tokens cannot be used, or not as the user would expect, until this machine is changed: an error of the
    /// configuration or of a store of pairings. The administrator is shown it, too.
    package func administratorError(_ id: MessageID, _ message: Logger.Message) {
        identified(.error, id, message, security: "error")
    }

    /// Logs a message for the user.
    package func identified(
        _ level: Logger.Level, _ id: @autoclosure () -> MessageID?, _ message: @autoclosure () -> Logger.Message,
        reader: String? = nil,
        security: String? = nil
    ) {
        log(
            level: level, message(),
            metadata: [Self.messageIDKey: id()?.rawValue, "reader": reader, Self.securityEventKey: security]
                .compactMapValues { $0.map { .string($0) } })
    }
}
