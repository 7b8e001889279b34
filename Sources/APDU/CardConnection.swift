// SPDX-License-Identifier: Apache-2.0

import Secrets

/// Something that takes command APDUs to a card: a reader's card handle, a secure channel over one, or a card in the
/// same process.
package protocol CardConnection: AnyObject {
    /// Sends one command and returns the card's response.
    ///
    /// On failure, the error says whether the card can have executed the command (``LinkError/outcome``).
    func transmit(_ command: borrowing Command) throws(LinkError) -> Response

    /// As ``transmit(_:)``, for a response whose data are secret: only the returned copy of them is left.
    func transmitSecret(_ command: borrowing Command) throws(LinkError) -> SecretResponse

    /// The greatest number of bytes of an encoded command that reader and protocol take. 261 is the longest short APDU;
    /// above it extended length fields may be used, with replies as long.
    var maximumLength: Int { get }
}

extension CardConnection {
    /// Short APDUs only, which every reader takes.
    package var maximumLength: Int { Command.maximumShortLength }

    package func transmitSecret(_ command: borrowing Command) throws(LinkError) -> SecretResponse {
        var response = try transmit(command)
        defer { response.data.wipe() }
        return SecretResponse(response.status, data: Secret(copying: response.data))
    }
}

/// A connection to the card in a reader.
package protocol CardLink: CardConnection {
    /// The card's answer to reset.
    var atr: [UInt8] { get }

    /// Whether the reader says that it reaches the card without electrical contact. Asked during a transaction.
    var isContactless: Bool { get }

    /// The reader's count of insertions and removals, if a card that takes this one's place can answer over this
    /// connection at most after an error, a reset or another count; nil if it may answer unnoticed. Asked during a
    /// transaction.
    var insertions: Int? { get }

    /// Whether ``beginTransaction()`` fails if the card has left since the last one, and tells of a reset.
    var noticesLoss: Bool { get }

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
    /// Most readers do not tell.
    package var isContactless: Bool { false }
    /// Nothing is known of other readers.
    package var insertions: Int? { nil }
    package var noticesLoss: Bool { true }
    package func limitWaits(to limit: Duration) {}
    package func canDisconnect(within limit: Duration) -> Bool { true }
    package func abandon() { disconnect() }
}

/// A reader and the state of its slot.
package struct ReaderState: Sendable, Equatable {
    /// The PC/SC reader name.
    package var name: String
    /// The answer to reset of the card in it; nil without one.
    package var atr: [UInt8]?
    /// Counts insertions and removals, so that a card taken out and put back is noticed.
    package var events: Int

    package init(name: String, atr: [UInt8]?, events: Int) {
        self.name = name
        self.atr = atr
        self.events = events
    }
}

extension ReaderState {
    /// In place of an answer to reset, for a folder with a key container. It is longer than a card's answer can be, so that no
    /// card passes for a folder.
    package static let folder = Array("key container of CryptoPro CSP in a folder".utf8)
}

/// The readers of this machine: pcscd's, or a test's.
package protocol ReaderService: AnyObject, Sendable {
    /// All readers in the service's order, with their present cards. No command is sent to any card.
    func readers() throws(LinkError) -> [ReaderState]

    /// As ``readers()``, but a previous answer will do if it is too recent to make a difference.
    func recentReaders() throws(LinkError) -> [ReaderState]

    /// Connects to the card in the reader, shared with other processes.
    func connect(to reader: String) throws(LinkError) -> any CardLink

    /// Watches the readers for one thread; nil if they cannot be watched but only looked at.
    func watch() -> (any ReaderWatch)?

    /// The reason why the service did not serve this process when it was last asked; nil if it did.
    var obstacle: LinkError? { get }

    /// The field that cards are held to at the moment, for a while only; nil without one.
    var field: (any CardField)? { get }

    /// Whether the service has started seconds ago, perhaps for this process, and may not have found all cards yet.
    var isNew: Bool { get }
}

extension ReaderService {
    package var obstacle: LinkError? { nil }
    package var isNew: Bool { false }
    package var field: (any CardField)? { nil }
    package func recentReaders() throws(LinkError) -> [ReaderState] { try readers() }
    package func watch() -> (any ReaderWatch)? { nil }
}

/// A field that cards are held to.
package protocol CardField {
    /// Whether no card will come any more: the user has closed it, or its time is over.
    var isOver: Bool { get }

    /// Lets the cards in it go, for others to come, because they are not those that are wanted.
    func letCardsGo()
}

/// One thread's wait for readers and cards that come and go.
package protocol ReaderWatch: AnyObject {
    /// Notes the present state: changes from now on end the next ``wait(atMost:)``, even if it begins later.
    func note() throws(LinkError)

    /// Waits until something differs from the noted state, without using the processor.
    func wait(atMost limit: Duration) throws(LinkError)
}

extension CardConnection {
    /// Sends one command and fetches all of its response: after 61xx the rest is asked for with GET RESPONSE
    /// (ISO/IEC 7816-4, 5.3.4) on the command's channel.
    ///
    /// - Throws: ``LinkError/malformed`` if there are more pieces than any response has, or one of them is empty.
    package func exchange(_ command: borrowing Command, channel: UInt8 = 0) throws(LinkError) -> Response {
        var response = try transmit(command)
        var pieces = 0
        while let available = response.status.bytesAvailable {
            let rest = try afterPart { () throws(LinkError) in
                try transmit(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            }
            pieces += 1
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil, pieces <= 300 else { throw .malformed }
            response = Response(rest.status, data: response.data + rest.data)
        }
        return response
    }

    /// As ``exchange(_:channel:)``, for a response whose data are secret.
    package func exchangeSecret(
        _ command: borrowing Command, channel: UInt8 = 0
    ) throws(LinkError) -> SecretResponse {
        var response = try transmitSecret(command)
        var pieces = 0
        while let available = response.status.bytesAvailable {
            let rest = try afterPart { () throws(LinkError) in
                try transmitSecret(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            }
            pieces += 1
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil, pieces <= 300 else { throw .malformed }
            response = SecretResponse(rest.status, data: response.data.appending(rest.data.bytes))
        }
        return response
    }
}

/// A connection to a card that no other process can reach. Its commands need no transaction.
package protocol OwnedCard: CardConnection {
    /// The card's answer to reset.
    var atr: [UInt8] { get }

    /// Whether the card has not left the reader. No command is sent.
    var isThere: Bool { get }

    /// Clears the card's volatile state: logins, the selected file, the security environment.
    func reset() throws(LinkError)

    /// Resets the card, and gives it back.
    func giveBack()
}

/// Readers whose cards a process can have for itself.
package protocol OwnedCardService: ReaderService {
    /// Connects to the card in the reader, which is reset first.
    ///
    /// - Throws: `LinkError/sharingViolation` while another process is connected to it.
    func own(_ reader: String) throws(LinkError) -> any OwnedCard
}
