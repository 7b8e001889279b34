// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking
package import Translation

/// A token came or went.
public enum TokenEvent: Sendable {
    /// A token is in a reader and can be spoken to.
    case attached(Token)
    /// A token is in no reader any more.
    case detached(Token)
    /// Nothing can be watched any more. It is the last event.
    case stopped(KanalError)
}

extension TokenEvent: CustomStringConvertible {
    /// The event in words, for people.
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .attached(let token): "the token \(token.information.caption) is there"
        case .detached(let token): "the token \(token.information.caption) has left"
        case .stopped(let error): "readers are not watched any more: \(error.explanation)"
        }
    }
}

/// A thread that waits for changes of the readers while there are listeners.
final class Watch: Sendable {
    typealias Look = @Sendable () -> Swift.Result<[Token], KanalError>?

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastNumber = 0
        var isRunning = false
        var isOver = false
    }

    private struct Listener {
        let continuation: AsyncStream<TokenEvent>.Continuation
        var present: [Token] = []
    }

    private let state = Lock(State())
    /// Held during a look, so that listeners are notified in the order of the looks.
    private let looking = Lock(())
    /// The longest wait before the listeners are counted again.
    private static let waitLimit = Duration.seconds(10)
    /// The interval of polling readers that cannot be watched.
    private static let interval = Duration.milliseconds(250)

    /// A new listener's events.
    ///
    /// - Parameter look: Returns the tokens that are present; nil to end the stream.
    func stream(_ readers: any ReaderService, _ look: @escaping Look) -> AsyncStream<TokenEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: TokenEvent.self)
        let (number, isIdle) = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = Listener(continuation: continuation)
            defer { state.isRunning = true }
            return (state.lastNumber, !state.isRunning)
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        // The thread that runs may wait for long before it looks again.
        let isStarted = BlockingThread.start { [self] in
            if isIdle { run(readers, look) } else { _ = lookOnce(look) }
        }
        if !isStarted { stop(.refused(code: "EAGAIN", reason: "the system creates no more threads")) }
        return stream
    }

    /// Ends the events of all listeners.
    func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            return state.listeners.values.map(\.continuation)
        }
        for listener in listeners { listener.finish() }
    }

    private func run(_ readers: any ReaderService, _ look: Look) {
        var watch: (any ReaderWatch)?
        while isWanted() {
            // Noted before the look, so that no change in between is missed.
            if watch == nil { watch = readers.watch() }
            if (try? watch?.note()) == nil { watch = nil }
            guard lookOnce(look) else { return }
            wait(watch)
        }
    }

    /// Looks, and notifies the listeners.
    ///
    /// - Returns: Whether there is more to be seen later.
    private func lookOnce(_ look: Look) -> Bool {
        looking.withLock { _ in
            switch look() {
            case .success(let tokens)?:
                tell(tokens)
                return true
            case .failure(let error)?: stop(error)
            case nil: end()
            }
            return false
        }
    }

    /// Waits until something changes, or no listener is left.
    private func wait(_ watch: (any ReaderWatch)?) {
        guard let watch else { return Clocks.system.pause(Self.interval) }
        while state.withLock({ !$0.listeners.isEmpty && !$0.isOver }) {
            let start = Uptime.system.now
            guard (try? watch.wait(atMost: Self.waitLimit)) != nil else { return Clocks.system.pause(Self.interval) }
            // An end before the time is a change.
            guard Uptime.system.now - start >= Self.waitLimit else { return }
        }
    }

    private func isWanted() -> Bool {
        state.withLock { state in
            state.isRunning = !state.listeners.isEmpty && !state.isOver
            return state.isRunning
        }
    }

    private func tell(_ tokens: [Token]) {
        state.withLock { state in
            for number in Array(state.listeners.keys) {
                guard var listener = state.listeners[number] else { continue }
                for gone in listener.present where !tokens.contains(where: { $0 === gone }) {
                    listener.continuation.yield(.detached(gone))
                }
                for new in tokens where !listener.present.contains(where: { $0 === new }) {
                    listener.continuation.yield(.attached(new))
                }
                listener.present = tokens
                state.listeners[number] = listener
            }
        }
    }

    private func stop(_ error: KanalError) {
        let listeners = state.withLock { state in
            defer {
                state.listeners = [:]
                state.isRunning = false
            }
            return state.listeners.values.map(\.continuation)
        }
        for listener in listeners {
            listener.yield(.stopped(error))
            listener.finish()
        }
    }
}
