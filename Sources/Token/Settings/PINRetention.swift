/// How long a PIN is kept after a login, to be presented again in a channel that had to be opened anew (GSC/1, 15.3).
package enum PINRetention: String, Sendable, CaseIterable {
    /// Until the login ends.
    case session
    /// Not at all.
    case none
}
