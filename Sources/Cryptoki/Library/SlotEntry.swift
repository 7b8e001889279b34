// SPDX-License-Identifier: Apache-2.0

import APDU
import CCryptoki
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
            signals.lastSeen.update(reader, at: .zero)
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

/// The sessions of one slot.
struct SlotSessions {
    /// Digests that sessions have saved.
    var savedStates = SavedStates()
    private var sessions: [CK_SESSION_HANDLE: Session] = [:]
    private var ended: [CK_SESSION_HANDLE] = []
    private(set) var readWriteCount = 0
    /// Sessions that a call works with.
    private var busy: Set<CK_SESSION_HANDLE> = []

    var count: Int { sessions.count }
    var isEmpty: Bool { sessions.isEmpty }
    var all: some Collection<Session> { sessions.values }

    subscript(handle: CK_SESSION_HANDLE) -> Session {
        get throws(CKError) {
            guard let session = sessions[handle] else { throw .sessionHandleInvalid }
            return session
        }
    }

    func isBusy(_ handle: CK_SESSION_HANDLE) -> Bool { busy.contains(handle) }

    /// A call begins to work with a session, and ends.
    mutating func setBusy(_ handle: CK_SESSION_HANDLE, _ isBusy: Bool) {
        if isBusy { busy.insert(handle) } else { busy.remove(handle) }
    }

    mutating func insert(_ session: Session) {
        sessions[session.handle] = session
        if session.isReadWrite { readWriteCount += 1 }
    }

    mutating func remove(_ handle: CK_SESSION_HANDLE) {
        if sessions.removeValue(forKey: handle)?.isReadWrite == true { readWriteCount -= 1 }
        // A saved digest does not outlive the last session that could go on with it.
        if sessions.isEmpty { savedStates = SavedStates() }
    }

    /// Ends all of them together.
    mutating func removeAll() {
        ended += sessions.keys
        sessions = [:]
        readWriteCount = 0
        savedStates = SavedStates()
    }

    /// The handles of sessions that ended together since the last time. One that was being opened then may be open now.
    mutating func takeEnded() -> [CK_SESSION_HANDLE] {
        defer { ended = [] }
        return ended.filter { sessions[$0] == nil }
    }
}

/// The signals between a slot and threads that do not have its lock.
struct SlotSignals: Sendable {
    /// Is told of a change in the presence of the token that the slot's sessions work with.
    let presenceChanged: @Sendable (_ reader: String, TokenPresence) -> Void
    /// When the token was last known to be there.
    let lastSeen = LastSeen()
    /// Set by a thread that wants the slot: a call that waits for the token gives up.
    let isAbandoned = Lock(false)
    /// The serial number of the token that the slot is connected to; nil without one.
    let token = Lock<[UInt8]?>(nil)
}

/// When the token in a reader was last known to be there.
///
/// An answer of the token tells it. So does a look at the readers, if nothing came or went since the look before: a
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
