// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking
import Token

extension Library {
    /// The state of a slot, known without a command to the token.
    package struct SlotState: Sendable {
        /// The PC/SC name of the reader.
        package var reader: String
        /// Whether there is a card in it, of whatever kind.
        package var isOccupied: Bool
        /// Whether there is a token in it that this library drives.
        package var hasToken: Bool
    }

    /// A slot, and the known state of its reader.
    struct Entry {
        let slot: SharedSlot
        let signals: SlotSignals
        let inquiry = Inquiry()
        var reader: ReaderState { didSet { state = SlotState(reader) } }
        /// The slot's state, from the reader's.
        private(set) var state: SlotState
        /// Whether a card came or went, and the application does not know yet.
        var hasEvent = false

        init(_ reader: ReaderState, _ library: Library) {
            signals = SlotSignals(presenceChanged: library.presenceChanged)
            signals.lastSeen.looked(reader, at: .zero)
            slot = SharedSlot(
                Slot(
                    reader: reader.name, readers: library.readers, settings: library.settings, signals: signals,
                    consent: library.interaction.consent))
            self.reader = reader
            state = SlotState(reader)
        }

        /// Takes the reader's present state; nil if the reader is gone.
        mutating func update(_ state: ReaderState?) {
            let isOccupied = reader.atr != nil
            // The service's count starts again when a reader comes back.
            let isSame = state == nil || state?.events == reader.events
            hasEvent = hasEvent || isOccupied != (state?.atr != nil) || (isOccupied && !isSame)
            if let state { reader = state } else { reader.atr = nil }
        }
    }
}

/// A slot for all threads.
@safe
final class SharedSlot: @unchecked Sendable {
    private let slot: Slot

    init(_ slot: Slot) { self.slot = slot }

    /// Runs `body` with the slot, inside of its monitor.
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (Slot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        slot.monitor.enter()
        defer { slot.monitor.leave() }
        return try body(slot)
    }
}

extension Library.SlotState {
    init(_ state: ReaderState) {
        reader = state.name
        isOccupied = state.atr != nil
        hasToken = state.atr.map { TokenModel(atr: $0) != nil } ?? false
    }
}
