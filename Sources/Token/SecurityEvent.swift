public import Logging

extension Logger {
    /// The metadata key that marks a message as a security event. Its value says nothing.
    public static let securityEventKey = "security"

    /// Logs a security event: something that looks like an attack on a token, or that weakens its protection. Whoever
    /// handles the log shows it to the administrator, even where nobody reads the log itself.
    ///
    /// - Parameter reader: The PC/SC name of the token's reader.
    public func securityEvent(_ message: Logger.Message, reader: String) {
        warning(message, metadata: [Self.securityEventKey: "event", "reader": "\(reader)"])
    }
}
