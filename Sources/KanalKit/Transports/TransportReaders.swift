// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import Secrets

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
            // A transport reports it when it is asked for its readers.
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
