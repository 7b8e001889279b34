// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking
import Secrets

/// An application's transport, as the library's readers.
final class TransportReaders: ReaderService {
    private let transport: any Transport
    private let field: Field
    private let lastObstacle = Lock<LinkError?>(nil)

    init(_ transport: any Transport, _ field: Field) {
        self.transport = transport
        self.field = field
    }

    var obstacle: LinkError? { lastObstacle.withLock { $0 } }

    func readers() throws(LinkError) -> [ReaderState] {
        let readers: [Reader]
        do throws(TransportError) { readers = try transport.readers() } catch {
            // Having no cards without a field is not an error.
            if error == .fieldClosed { field.hasEnded() } else { lastObstacle.withLock { $0 = .noService } }
            return []
        }
        lastObstacle.withLock { $0 = nil }
        return readers.map { ReaderState(name: $0.name, atr: $0.atr, events: $0.events) }
    }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        do throws(TransportError) { return TransportLink(try transport.connect(to: reader)) } catch {
            throw LinkError(error)
        }
    }
}

private final class TransportLink: CardLink {
    private let card: any CardHandle

    init(_ card: any CardHandle) { self.card = card }

    var atr: [UInt8] { card.atr }
    var isContactless: Bool { card.isContactless }
    var maximumLength: Int { max(card.maximumLength, Command.maximumShortLength) }

    func beginTransaction() throws(LinkError) -> Bool {
        do throws(TransportError) { return try card.beginTransaction() } catch { throw LinkError(error) }
    }

    func endTransaction() { card.endTransaction() }
    func disconnect() { card.disconnect() }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        guard let encoded = try? command.encoded() else { throw .malformed }
        var answer: [UInt8]
        do throws(TransportError) { answer = try card.transmit(encoded.bytes) } catch { throw LinkError(error) }
        defer { answer.wipe() }
        guard let response = Response(parsing: answer) else { throw .malformed }
        return response
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
