// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A connection to the card in a reader.
package protocol CardLink: CardConnection {
    /// The card's answer to reset.
    var atr: [UInt8] { get }

    /// Whether the reader reports that it reaches the card without electrical contact. Asked during a transaction.
    var isContactless: Bool { get }

    /// The reader's count of insertions and removals, if a card that replaces this one can answer over this
    /// connection at most after an error, a reset or another count; nil if it may answer unnoticed. Asked during a
    /// transaction.
    var insertions: Int? { get }

    /// Whether ``beginTransaction()`` fails if the card has left since the last one, and reports a reset.
    var noticesLoss: Bool { get }

    /// The reader's PIN pad; nil without one. Asked during a transaction.
    var pinPad: PINPad? { get }

    /// Has the user type a PIN at the reader, and returns the card's response, or the reader's (``PINEntry/Refusal``).
    func transmit(_ entry: PINEntry) throws(LinkError) -> Response

    /// Keeps other processes from the card until ``endTransaction()``.
    ///
    /// - Returns: Whether the card was reset since the last transaction: all its volatile state is gone.
    func beginTransaction() throws(LinkError) -> Bool

    /// Lets other processes at the card again.
    func endTransaction()

    /// Limits the time for which later calls wait for another process's transaction.
    func limitWaits(to limit: Duration)

    /// Whether ``disconnect()`` would end. A card that hangs holds it up.
    func canDisconnect(within limit: Duration) -> Bool

    /// Returns the handle and leaves the card unchanged.
    func disconnect()

    /// Lets go without a call that could wait. The handle is returned when the process ends.
    func abandon()
}

extension CardLink {
    /// Unknown for most readers.
    package var isContactless: Bool { false }
    /// Nothing is known of other readers.
    package var insertions: Int? { nil }
    package var noticesLoss: Bool { true }
    /// Most readers have none.
    package var pinPad: PINPad? { nil }
    package func transmit(_ entry: PINEntry) throws(LinkError) -> Response { throw .malformed }
    package func limitWaits(to limit: Duration) {}
    package func canDisconnect(within limit: Duration) -> Bool { true }
    package func abandon() { disconnect() }
}
