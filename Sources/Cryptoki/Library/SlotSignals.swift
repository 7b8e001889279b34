// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking

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
    func looked(_ reader: ReaderState, at time: Duration) {
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
