import APDU
import Locking

/// When the token in a reader was last known to be there.
///
/// A call knows it when it had an answer. Functions that only look at readers know it too, if nothing came or went since
/// the look before: so a token may be away for its whole window after a time in which nobody asked it anything.
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

    /// Somebody has looked at the reader.
    func looked(_ reader: ReaderState, at time: Duration) {
        state.withLock { state in
            if reader.atr == nil || state.events != reader.events { state.isDoubtful = true }
            state.events = reader.events
            if !state.isDoubtful { state.time = max(state.time, time) }
        }
    }

    var time: Duration { state.withLock { $0.time } }
}
