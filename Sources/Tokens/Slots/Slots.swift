// SPDX-License-Identifier: Apache-2.0

package import APDU
package import Locking
import Logging
package import Token

/// The slots of this machine: a reader that was seen once keeps its slot, by its number.
///
/// Any number of threads can use them. A lock guards the table and one guards each slot; neither is held while a card
/// works.
package final class Slots: Sendable {
    package let readers: any ReaderService
    package let settings: TokenSettings
    /// How the user is asked.
    package let interaction: UserInteraction
    private let presenceChanged: @Sendable (_ reader: String, TokenPresence) -> Void
    private let table = Lock(Table())
    private let libcrypto = LibcryptoUse()
    fileprivate let tokens = KnownTokens()

    /// How much older the time may be at which a token was last seen.
    private static let toldInterval = Duration.milliseconds(10)

    private struct Table {
        var entries: [SlotEntry] = []
        /// The numbers of all slots, and of those with a token that this library drives.
        var (numbers, numbersWithToken): ([Int], [Int]) = ([], [])
        /// The states of the readers at the last look.
        var seen: [ReaderState]?
        /// The time of the last report to the slots that nothing has changed.
        var toldAt = Duration.zero
        /// Whether the readers were looked at, so that later changes are events.
        var isKnown = false
        /// Whether the program just received the number of slots, and will ask for the list.
        var isCounted = false
        /// Whether the program has ended its work, so that calls under way find no slot.
        var isFinal = false
    }

    /// - Parameter presenceChanged: Called on a change in the presence of the token that a reader's sessions work with,
    ///   while no other thread has the slot.
    package init(
        readers: any ReaderService, settings: TokenSettings, interaction: UserInteraction,
        presenceChanged: @escaping @Sendable (_ reader: String, TokenPresence) -> Void
    ) {
        self.readers = readers
        self.settings = settings
        self.interaction = interaction
        self.presenceChanged = presenceChanged
    }

    /// The numbers of the slots, in their order.
    ///
    /// - Parameters:
    ///   - tokenPresent: Whether to leave out slots without a token that this library drives.
    ///   - isQuery: Whether the program asks for their number only. The list after that has the slots that were
    ///     counted, so that it fits. Any other list is new.
    package func numbers(tokenPresent: Bool, isQuery: Bool = false) throws(TokensError) -> [Int] {
        let isCounted = table.withLock { table in
            defer { table.isCounted = isQuery }
            return table.isCounted && !isQuery
        }
        if !isCounted { try refresh(recent: true) }
        return table.withLock { tokenPresent ? $0.numbersWithToken : $0.numbers }
    }

    /// Updates the table from the readers.
    ///
    /// - Parameter recent: Whether a look that is some milliseconds old will do.
    package func refresh(recent: Bool) throws(TokensError) {
        let states: [ReaderState]
        do { states = try recent ? readers.recentReaders() : readers.readers() } catch { throw TokensError(error) }
        try table.withLock { table throws(TokensError) in
            guard !table.isFinal else { throw .ended }
            let now = settings.clocks.uptime.now
            if recent, table.seen == states {
                // A token that was seen milliseconds ago is not reported again.
                guard now - table.toldAt >= Self.toldInterval else { return }
                table.toldAt = now
                for entry in table.entries { entry.signals.lastSeen.update(entry.reader, at: now) }
                return
            }
            table.seen = states
            for index in table.entries.indices {
                let name = table.entries[index].reader.name
                table.entries[index].update(states.first { $0.name == name })
            }
            for state in states {
                if let entry = table.entries.first(where: { $0.reader.name == state.name }) {
                    entry.signals.lastSeen.update(state, at: now)
                } else {
                    var entry = SlotEntry(state, self, presenceChanged)
                    entry.hasEvent = table.isKnown && state.atr != nil
                    table.entries.append(entry)
                }
            }
            table.isKnown = true
            table.numbers = Array(table.entries.indices)
            table.numbersWithToken = table.numbers.filter { table.entries[$0].state.hasToken }
        }
    }

    /// The first slot with an event that the program does not know yet. From now on it counts as known.
    private func takeEvent() -> Int? {
        table.withLock { table in
            guard let index = table.entries.firstIndex(where: \.hasEvent) else { return nil }
            table.entries[index].hasEvent = false
            return index
        }
    }

    /// The present state of a slot.
    package func state(of number: Int) throws(TokensError) -> SlotState {
        try refresh(recent: true)
        guard let entry = known(number) else { throw .noSlot }
        return entry.state
    }

    /// Whether a slot is a folder with a key container, by the last look at the readers.
    package func isFolder(_ number: Int) throws(TokensError) -> Bool {
        try entry(number, computes: false).state.isFolder
    }

    /// A slot's entry, for a call that is about to take its lock.
    ///
    /// - Parameter computes: Whether the call may need libcrypto. A call that only asks a token about itself does not, and
    ///   is done sooner than libcrypto is loaded.
    package func entry(_ number: Int, computes: Bool = true) throws(TokensError) -> SlotEntry {
        if computes { try libcrypto.prepare(settings.log) }
        if let entry = known(number) { return entry }
        try refresh(recent: false)
        guard let entry = known(number) else { throw .noSlot }
        return entry
    }

    /// Runs `body` with a slot, inside of its monitor.
    ///
    /// - Parameter computes: As of ``entry(_:computes:)``.
    package func withSlot<Result: ~Copyable>(
        _ number: Int, computes: Bool = true, _ body: (TokenSlot) throws(TokensError) -> Result
    ) throws(TokensError) -> Result {
        try entry(number, computes: computes).slot.withLock(body)
    }

    private func known(_ number: Int) -> SlotEntry? {
        table.withLock { $0.entries.indices.contains(number) ? $0.entries[number] : nil }
    }

    /// The slots whose token has this serial number.
    package func numbers(withToken serial: [UInt8]) -> [Int] {
        let entries = table.withLock { $0.entries }
        return entries.indices.filter { entries[$0].signals.token.withLock { $0 } == serial }
    }

    /// Lets a call that waits for an absent token give up, and later ones as well, until it is taken back.
    package func abandonWaits(in number: Int, _ isAbandoned: Bool) {
        known(number)?.signals.isAbandoned.withLock { $0 = isAbandoned }
    }

    /// Ends the work with all tokens: later calls find no slot.
    ///
    /// - Parameter deadline: A time of `CLOCK_MONOTONIC`. Calls that are under way in other threads are waited for until
    ///   then.
    package func end(until deadline: Duration) {
        let entries = table.withLock { table in
            defer {
                table = Table()
                table.isFinal = true
            }
            return table.entries
        }
        for entry in entries {
            entry.slot.withLock { slot in
                slot.endOfWork = deadline
                slot.end(as: .normal)
                slot.waitForTurn(until: deadline)
            }
        }
    }
}

extension Slots {
    /// The longest wait before a look whether the work was ended.
    private static let waitLimit = Duration.milliseconds(250)

    /// The slot in which a token came or went since the last event, or since the first look at the readers. Any number
    /// of threads can wait, without holding a lock.
    ///
    /// - Parameter waits: Whether to wait for the next event if nothing has happened.
    /// - Returns: nil if nothing has happened.
    package func nextEvent(waits: Bool) throws(TokensError) -> Int? {
        var watch: (any ReaderWatch)?
        while true {
            // Noted before the look, so that no change in between is missed.
            if waits, watch == nil { watch = readers.watch() }
            let isNoted = (try? watch?.note()) != nil
            if !isNoted { watch = nil }
            try refresh(recent: false)
            if let slot = takeEvent() { return slot }
            guard waits else { return nil }
            if isNoted, (try? watch?.wait(atMost: Self.waitLimit)) != nil { continue }
            watch = nil
            settings.clocks.pause(Self.waitLimit)
        }
    }
}

/// A slot, and the known state of its reader.
package struct SlotEntry: Sendable {
    package let slot: Monitored<TokenSlot>
    let signals: SlotSignals
    let inquiry = Inquiry()
    package fileprivate(set) var reader: ReaderState { didSet { state = SlotState(reader) } }
    /// The slot's state, from the reader's.
    private(set) var state: SlotState
    /// Whether a card came or went, and the program does not know yet.
    fileprivate var hasEvent = false

    init(
        _ reader: ReaderState, _ slots: Slots, _ presenceChanged: @escaping @Sendable (String, TokenPresence) -> Void
    ) {
        signals = SlotSignals(presenceChanged: presenceChanged)
        signals.lastSeen.update(reader, at: .zero)
        let slot = TokenSlot(
            reader: reader.name, readers: slots.readers, settings: slots.settings, tokens: slots.tokens,
            signals: signals)
        self.slot = Monitored(slot, in: slot.monitor)
        self.reader = reader
        state = SlotState(reader)
    }

    /// Applies the reader's present state; nil if the reader is gone.
    mutating func update(_ state: ReaderState?) {
        let isOccupied = reader.atr != nil
        // The service's count starts again when a reader comes back.
        let isSame = state == nil || state?.events == reader.events
        hasEvent = hasEvent || isOccupied != (state?.atr != nil) || (isOccupied && !isSame)
        if let state { reader = state } else { reader.atr = nil }
    }
}

/// The signals between a slot and threads that do not have its lock.
package struct SlotSignals: Sendable {
    /// Called on a change in the presence of the token that the slot's sessions work with.
    let presenceChanged: @Sendable (_ reader: String, TokenPresence) -> Void
    /// When the token was last known to be there.
    let lastSeen = LastSeen()
    /// Set by a thread that wants the slot: a call that waits for the token stops waiting.
    let isAbandoned = Lock(false)
    /// The serial number of the token that the slot is connected to; nil without one.
    let token = Lock<[UInt8]?>(nil)
    /// The abilities of the token that was in the reader at this count of insertions and removals.
    let abilities = Lock<(events: Int, abilities: TokenAbilities)?>(nil)
}

/// When the token in a reader was last known to be there.
///
/// An answer of the token shows it. So does a look at the readers, if nothing came or went since the look before: a
/// token that was not asked for long may still be away for its whole window.
final class LastSeen: Sendable {
    private let state = Lock(State())

    private struct State {
        var time = Duration.zero
        /// The reader's count of insertions and removals at the last look.
        var events: Int?
        /// Whether the token may have been away since `time`.
        var isDoubtful = false
    }

    /// The token has answered.
    func answered(at time: Duration) {
        state.withLock { state in
            state.time = max(state.time, time)
            state.isDoubtful = false
        }
    }

    /// The reader was looked at.
    func update(_ reader: ReaderState, at time: Duration) {
        state.withLock { state in
            if reader.atr == nil || state.events != reader.events { state.isDoubtful = true }
            state.events = reader.events
            if !state.isDoubtful { state.time = max(state.time, time) }
        }
    }

    var time: Duration { state.withLock { $0.time } }

    /// Whether the token may have been away since.
    var isDoubtful: Bool { state.withLock { $0.isDoubtful } }
}
