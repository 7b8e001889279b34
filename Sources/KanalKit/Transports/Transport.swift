// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import Secrets

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

/// How a field session ends.
public enum FieldOutcome: Sendable, Equatable {
    /// The work is done.
    case success
    /// The text is shown to the user.
    case failure(String)
}

/// A reader, and the state of its slot.
public struct Reader: Sendable, Equatable {
    /// The reader's name, by which it is known as long as the transport lives.
    public var name: String
    /// The answer to reset of the card in it; nil without a card.
    public var atr: [UInt8]?
    /// Counts insertions and removals, so that a card that was taken out and put back is noticed.
    public var events: Int

    /// A reader; see its properties.
    public init(name: String, atr: [UInt8]?, events: Int) {
        self.name = name
        self.atr = atr
        self.events = events
    }
}

/// A connection to the card in a reader. One thread at a time uses it.
public protocol CardHandle: AnyObject {
    /// The card's answer to reset.
    var atr: [UInt8] { get }

    /// Whether the card is reached without electrical contact.
    var isContactless: Bool { get }

    /// The greatest number of bytes of a command that the way to the card takes: 261 for short APDUs only, or more.
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

    /// Gives the connection back.
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

/// The reason why a transport failed.
public enum TransportError: Error, Sendable, Equatable {
    /// The service that the transport needs does not run, or refuses this process.
    case unavailable
    /// No card is in the reader, or no such reader exists. A command was not sent.
    case noCard
    /// The card left the reader. `sent` says whether the last command may have reached it.
    case removed(sent: Bool)
    /// The card was reset, and has lost its state.
    case reset
    /// The card is held exclusively by another program.
    case sharingViolation
    /// The command was sent and no answer came, or it is unknown whether it was sent. `code` is the transport's own.
    case transmission(code: UInt32)
    /// An answer is too short, or a command too long.
    case malformed
    /// The user has closed the field, or its time is over.
    case fieldClosed
}

/// An application's transport, as the library's readers.
final class TransportReaders: ReaderService {
    let transport: any Transport
    private let openField: Field
    private let lastObstacle = Lock<LinkError?>(nil)
    /// Whether a card could not be reset, because the transport cannot do so.
    let lacksReset = Lock(false)

    init(_ transport: any Transport, _ field: Field) {
        self.transport = transport
        openField = field
    }

    var obstacle: LinkError? { lastObstacle.withLock { $0 } }

    var field: (any CardField)? { openField.isOpen(transport) ? OpenField(readers: self, field: openField) : nil }

    private struct OpenField: CardField {
        let readers: TransportReaders
        let field: Field

        var isOver: Bool {
            // A transport tells it when it is asked for its readers.
            _ = try? readers.readers()
            return field.isOver
        }

        func letCardsGo() { field.refuseCards(KanalError.wrongToken.description) }
    }

    func readers() throws(LinkError) -> [ReaderState] {
        let readers: [Reader]
        do throws(TransportError) { readers = try transport.readers() } catch {
            // Having no cards without a field is not an error.
            if error == .fieldClosed {
                openField.hasEnded(transport)
            } else {
                lastObstacle.withLock { $0 = .noService }
            }
            return []
        }
        lastObstacle.withLock { $0 = nil }
        return readers.map { ReaderState(name: $0.name, atr: $0.atr, events: $0.events) }
    }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        let events = state(of: reader)?.events
        do throws(TransportError) {
            return TransportLink(try transport.connect(to: reader), self, reader, events: events)
        } catch {
            throw failure(error)
        }
    }

    /// The present state of a reader; nil if it is not there.
    func state(of reader: String) -> ReaderState? { try? readers().first { $0.name == reader } }

    /// An error of the transport, as the library has it. A field that has ended is noted.
    func failure(_ error: TransportError) -> LinkError {
        if error == .fieldClosed { openField.hasEnded(transport) }
        return LinkError(error)
    }
}

/// A connection to a card of an application's transport.
final class TransportLink: CardLink {
    private let card: any CardHandle
    private let readers: TransportReaders
    private let reader: String
    /// The reader's count when the card was connected to; nil if it did not say.
    private let events: Int?

    init(_ card: any CardHandle, _ readers: TransportReaders, _ reader: String, events: Int?) {
        (self.card, self.readers, self.reader, self.events) = (card, readers, reader, events)
    }

    var atr: [UInt8] { card.atr }
    var isContactless: Bool { card.isContactless }
    var maximumLength: Int { max(card.maximumLength, Command.maximumShortLength) }
    /// A transport need not implement transactions.
    var noticesLoss: Bool { false }

    func beginTransaction() throws(LinkError) -> Bool {
        do throws(TransportError) { return try card.beginTransaction() } catch { throw readers.failure(error) }
    }

    func endTransaction() { card.endTransaction() }
    func disconnect() { card.disconnect() }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        guard let encoded = try? command.encoded() else { throw .malformed }
        var answer: [UInt8]
        do throws(TransportError) { answer = try card.transmit(encoded.bytes) } catch { throw failure(error) }
        defer { answer.wipe() }
        guard let response = Response(parsing: answer) else { throw .malformed }
        return response
    }

    /// The error of a command. A card that has left its reader is the reason of those that do not name it.
    private func failure(_ error: TransportError) -> LinkError {
        switch error {
        case .noCard: return .removed(sent: false)
        case .fieldClosed:
            _ = readers.failure(error)
            return .removed(sent: true)
        case .unavailable, .removed: return LinkError(error)
        case .reset, .sharingViolation, .transmission, .malformed:
            let state = readers.state(of: reader)
            return state?.atr == nil || state?.events != events ? .removed(sent: true) : LinkError(error)
        }
    }
}

extension LinkError {
    init(_ error: TransportError) {
        self =
            switch error {
            case .unavailable: .noService
            case .noCard, .fieldClosed: .noCard
            case .removed(let isSent): .removed(sent: isSent)
            case .reset: .reset
            case .sharingViolation: .sharingViolation
            case .transmission(let code): .transmission(code: code)
            case .malformed: .malformed
            }
    }
}
