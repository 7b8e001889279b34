// SPDX-License-Identifier: Apache-2.0

/// A way to tokens: readers, and cards in them. An application without one uses pcscd's.
///
/// All functions may block. They are called in threads that may, several at a time.
public protocol Transport: AnyObject, Sendable {
    /// All readers, with their present cards. No command is sent to any card.
    func readers() throws(TransportError) -> [Reader]

    /// Connects to the card in a reader.
    func connect(to reader: String) throws(TransportError) -> any CardHandle

    /// Begins to look for cards, and shows a message to the user, until ``closeField(_:)``. Only for a transport whose
    /// cards are there for a while only; others do nothing and return false.
    ///
    /// - Returns: Whether a field is open now. It stays open for 20 seconds at least, unless the user closes it; then
    ///   ``readers()`` throws ``TransportError/fieldClosed``.
    func openField(message: String) throws(TransportError) -> Bool

    /// Releases the cards in the field and looks for others, because the present ones are not wanted.
    ///
    /// - Parameter message: The new text for the user.
    func restartPolling(message: String) throws(TransportError)

    /// Ends what ``openField(message:)`` began.
    func closeField(_ outcome: FieldOutcome)
}

extension Transport {
    public func openField(message: String) throws(TransportError) -> Bool { false }
    public func restartPolling(message: String) throws(TransportError) {}
    public func closeField(_ outcome: FieldOutcome) {}
}
