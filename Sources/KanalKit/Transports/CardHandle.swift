// SPDX-License-Identifier: Apache-2.0

import APDU

/// A connection to the card in a reader. One thread at a time uses it.
public protocol CardHandle: AnyObject {
    /// The card's answer to reset.
    var atr: [UInt8] { get }

    /// Whether the card is reached without electrical contact.
    var isContactless: Bool { get }

    /// The greatest number of bytes of a command that can be sent to the card: 261 for short APDUs only, or more.
    var maximumLength: Int { get }

    /// Keeps others from the card until ``endTransaction()``.
    ///
    /// - Returns: Whether the card was reset since the last transaction.
    func beginTransaction() throws(TransportError) -> Bool

    /// Ends what ``beginTransaction()`` began.
    func endTransaction()

    /// Sends a command APDU and returns the response APDU: data, and two bytes of status.
    ///
    /// - Throws: ``TransportError/removed(sent:)`` with `sent` false, or ``TransportError/noCard``, only if the card
    ///   certainly did not get the command: it is sent again, signatures and PINs included, when the card is back.
    func transmit(_ command: Span<UInt8>) throws(TransportError) -> [UInt8]

    /// Has the card forget logins, channels and the selected file, as if its power was taken and given back. Only a
    /// ``Share`` over the transport needs it, which ends what one host did before another begins.
    ///
    /// - Throws: ``TransportError/unavailable`` if the transport cannot do so, as without an implementation.
    func reset() throws(TransportError)

    /// Closes the connection.
    func disconnect()
}

extension CardHandle {
    public var isContactless: Bool { false }
    public var maximumLength: Int { 261 }
    public func beginTransaction() throws(TransportError) -> Bool { false }
    public func endTransaction() {}
    public func reset() throws(TransportError) { throw .unavailable }
    public func disconnect() {}
}
