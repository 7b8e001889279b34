// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets

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
