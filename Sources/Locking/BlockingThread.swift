// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A thread that may block.
package enum BlockingThread {
    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends. Signals of the process go to other threads.
    ///
    /// - Returns: Whether the system made the thread.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        var thread = pthread_t()
        var blocked = sigset_t()
        var former = sigset_t()
        let start = unsafe Unmanaged.passRetained(Start(body))
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe sigfillset(&blocked)
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &former)
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
        unsafe pthread_attr_destroy(&attributes)
        if code != 0 { unsafe start.release() }
        return code == 0
    }
}
