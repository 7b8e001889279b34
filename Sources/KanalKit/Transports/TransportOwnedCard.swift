// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking

/// A card of an application's transport that a share has for itself.
final class TransportOwnedCard: OwnedCard {
    private let readers: TransportReaders
    private let reader: String
    private let handle: any CardHandle
    private let link: TransportLink
    /// The reader's count when the card was connected to.
    private let events: Int
    private var hasLeft = false
    private var isBack = false

    /// Connects to the card in a reader, and resets it.
    init(_ readers: TransportReaders, _ reader: String) throws(LinkError) {
        let state = try readers.readers().first { $0.name == reader }
        guard let state, state.atr != nil else { throw .noCard }
        let handle: any CardHandle
        do throws(TransportError) { handle = try readers.transport.connect(to: reader) } catch {
            throw readers.failure(error)
        }
        self.readers = readers
        self.reader = reader
        self.handle = handle
        link = TransportLink(handle, readers, reader, events: state.events)
        events = state.events
        do throws(LinkError) {
            _ = try link.beginTransaction()
            try reset()
        } catch {
            link.endTransaction()
            link.disconnect()
            throw error
        }
    }

    var atr: [UInt8] { link.atr }
    var maximumLength: Int { link.maximumLength }

    var isThere: Bool {
        if !hasLeft {
            let state = try? readers.readers().first { $0.name == reader }
            hasLeft = state?.atr == nil || state?.events != events
        }
        return !hasLeft
    }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response { try link.transmit(command) }

    func reset() throws(LinkError) {
        guard !hasLeft else { throw .removed(sent: false) }
        do throws(TransportError) { try handle.reset() } catch {
            if error == .unavailable { readers.lacksReset.withLock { $0 = true } }
            hasLeft = true
            throw LinkError(error)
        }
    }

    func giveBack() {
        guard !isBack else { return }
        isBack = true
        try? reset()
        hasLeft = true
        link.endTransaction()
        link.disconnect()
    }
}

extension TransportReaders: OwnedCardService {
    func own(_ reader: String) throws(LinkError) -> any OwnedCard { try TransportOwnedCard(self, reader) }
}
