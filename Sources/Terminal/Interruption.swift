// SPDX-License-Identifier: Apache-2.0
import Glibc
import Locking
import Translation

/// A request to end, by Ctrl-C, SIGTERM or a terminal that was closed.
///
/// It is received by a thread of its own. The first request cuts nothing short: waiting code is notified, and ends by
/// itself. A repeated request does not wait for that.
@safe
package enum Interruption {
    private struct State {
        var isRequested = false
        var onRequest: (@Sendable () -> Void)?
        var onRepetition: (@Sendable () -> Void)?
        var reminder: Reminder?
        var isListening = false
    }

    /// Called once, unless its work ends before its time.
    private struct Reminder {
        let time: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }

    private static let state = Lock(State())
    /// A pipe that can be read from after a request to end. Nothing ever reads it.
    private static let wish = Pipe()
    /// A pipe through which the signal handler notifies the thread, and others that there is a reminder.
    private static let signals = Pipe()

    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() {
            var descriptors: [Int32] = [-1, -1]
            if unsafe pipe(&descriptors) == 0 {
                for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            }
            (reading, writing) = (descriptors[0], descriptors[1])
        }

        func tell(_ word: StaticString = "!") { _ = unsafe Glibc.write(writing, word.utf8Start, 1) }
    }

    package static var isRequested: Bool { state.withLock { $0.isRequested } }

    /// A descriptor for poll(2), beside others.
    static var descriptor: Int32 { wish.reading }

    /// Waits until a descriptor can be read from or written to, or has a fault.
    ///
    /// - Parameters:
    ///   - events: `POLLIN` or `POLLOUT`.
    ///   - patience: In milliseconds; -1 for any time.
    /// - Throws: ``SystemError/isInterruption`` after a request to end.
    static func wait(
        for descriptor: Int32, _ events: Int32, patience: Int32 = -1, _ subject: @autoclosure () -> Phrase
    ) throws(SystemError) {
        while true {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: Self.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&waiting, 2, patience)
            guard count >= 0 || errno == EINTR else { throw SystemError(errno, subject()) }
            guard !isRequested else { throw SystemError(EINTR, subject()) }
            if count == 0 || waiting[0].revents != 0 { return }
        }
    }

    /// Starts the thread, and installs the signal handlers.
    package static func listen() {
        _ = (wish, signals)
        state.withLock { $0.isListening = true }
        var thread = pthread_t()
        unsafe pthread_create(&thread, nil, { _ in Interruption.wait() }, nil)
        pthread_detach(thread)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            // nohup(1) lets a program live on without its terminal.
            if number == SIGHUP, unsafe sigaction(number, nil, &action) == 0, isIgnored(action) { continue }
            action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { _ in Interruption.signals.tell() }
            action.sa_flags = SA_RESTART
            unsafe sigaction(number, &action, nil)
        }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
            == unsafeBitCast(SIG_IGN, to: UInt.self)
    }

    /// Calls `body` once when the end is requested, or now if it already was, and `repetition` when it is requested
    /// again.
    package static func onRequest(
        _ body: @escaping @Sendable () -> Void, again repetition: @escaping @Sendable () -> Void
    ) {
        let isRequested = state.withLock { state in
            (state.onRequest, state.onRepetition) = (body, repetition)
            return state.isRequested
        }
        if isRequested { body() }
    }

    /// Requests the end, as a signal does.
    static func request() {
        let body = state.withLock { state in
            defer { state.isRequested = true }
            return state.isRequested ? state.onRepetition : state.onRequest
        }
        wish.tell()
        body?()
    }

    /// Does work, and calls `body` in the thread of signals if it is not done after some time: another thread may block in a
    /// call that nothing ends. Nothing is called in a process that has not taken its signals over.
    package static func reminding<Result>(
        after time: Duration, _ body: @escaping @Sendable () -> Void, of work: () async throws -> Result
    ) async rethrows -> Result {
        let isListening = state.withLock { state in
            if state.isListening { state.reminder = Reminder(time: .now + time, body: body) }
            return state.isListening
        }
        if isListening { signals.tell("?") }
        defer { state.withLock { $0.reminder = nil } }
        return try await work()
    }

    private static func wait() -> Never {
        while true {
            var waiting = pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0)
            let left = state.withLock { $0.reminder.map { $0.time - .now } }
            let patience = left.map { Int32(clamping: Int(max(.zero, $0) / .milliseconds(1)) + 1) } ?? -1
            guard unsafe poll(&waiting, 1, patience) != 0 else {
                let due = state.withLock { state in
                    guard let reminder = state.reminder, reminder.time <= .now else { return Reminder?.none }
                    state.reminder = nil
                    return reminder
                }
                due?.body()
                continue
            }
            var byte: UInt8 = 0
            if unsafe read(signals.reading, &byte, 1) == 1, byte == UInt8(ascii: "!") { request() }
        }
    }
}
