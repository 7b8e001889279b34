// SPDX-License-Identifier: Apache-2.0
import Glibc
import Locking

/// The wish to end, by Ctrl-C, SIGTERM or a terminal that was closed.
///
/// It is heard by a thread of its own. Nothing is cut short by it: whoever waits is told, and ends by itself.
@safe
package enum Interruption {
    private struct State {
        var isRequested = false
        var onRequest: (@Sendable () -> Void)?
    }

    private static let state = Lock(State())
    /// A pipe that can be read from as soon as the end is wished for. Nothing ever reads it.
    private static let pipe: (reading: Int32, writing: Int32) = {
        var descriptors: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&descriptors) == 0 else { return (-1, -1) }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (descriptors[0], descriptors[1])
    }()

    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    package static var isRequested: Bool { state.withLock { $0.isRequested } }

    /// What poll(2) can wait for beside other things.
    static var descriptor: Int32 { pipe.reading }

    /// Takes the signals over. To be called first of all, before there are other threads, which would inherit another
    /// mask of signals.
    package static func listen() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        _ = pipe
        var thread = pthread_t()
        unsafe pthread_create(&thread, nil, { _ in Interruption.wait() }, nil)
        pthread_detach(thread)
    }

    /// Lets `body` be called once when the end is wished for, or now if it is already.
    package static func onRequest(_ body: @escaping @Sendable () -> Void) {
        let isRequested = state.withLock { state in
            state.onRequest = body
            return state.isRequested
        }
        if isRequested { body() }
    }

    /// Says that the end is wished for, as a signal does.
    static func request() {
        let body = state.withLock { state in
            defer { state.isRequested = true }
            return state.isRequested ? nil : state.onRequest
        }
        _ = unsafe Glibc.write(pipe.writing, "!", 1)
        body?()
    }

    private static func wait() -> Never {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        while true {
            var signal: Int32 = 0
            guard unsafe sigwait(&set, &signal) == 0 else { continue }
            request()
        }
    }
}
