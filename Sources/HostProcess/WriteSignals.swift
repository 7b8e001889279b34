// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc

/// The signals that end a process because it wrote: SIGPIPE, without a reader, and SIGXFSZ, when a file would become
/// longer than the process's limit. A library's writing must never end the process.
package enum WriteSignals {
    /// Runs `body`, which writes. If that fails with EPIPE or EFBIG, the signal that comes with it is dropped.
    ///
    /// - Returns: The result of `body`, with its `errno`.
    package static func blocked<Result>(_ body: () -> Result) -> Result {
        var signals = sigset_t(), before = sigset_t(), pending = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe sigaddset(&signals, SIGXFSZ)
        unsafe sigpending(&pending)
        guard unsafe pthread_sigmask(SIG_BLOCK, &signals, &before) == 0 else { return body() }
        errno = 0
        let result = body()
        let code = errno
        if let signal = [EPIPE: SIGPIPE, EFBIG: SIGXFSZ][code], unsafe sigismember(&pending, signal) == 0 {
            var own = sigset_t()
            unsafe sigemptyset(&own)
            unsafe sigaddset(&own, signal)
            var now = timespec()
            unsafe sigtimedwait(&own, nil, &now)
        }
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = code
        return result
    }
}
