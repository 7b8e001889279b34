// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value that only one thread at a time can reach.
///
/// A plain POSIX mutex, because the standard library's `Mutex` keeps the thread's number in thread-local storage: in a
/// forked child that number is the parent's, and a contended lock would trap. A child that finds a lock taken by a
/// thread it does not have makes a new `Lock` instead of waiting.
@safe
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: consuming Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value while no other thread can.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}

/// Threads that wait inside of a monitor for the same thing, which one of them at a time can have.
///
/// To wake all of them, as ``Monitor/tellOfChange()`` does, would have all but one wait again.
@safe
package final class WaitingThreads: @unchecked Sendable {
    private let monitor: Monitor
    private let isFree: UnsafeMutablePointer<pthread_cond_t>

    package init(in monitor: Monitor) {
        self.monitor = monitor
        unsafe isFree = Monitor.condition()
    }

    deinit {
        unsafe pthread_cond_destroy(isFree)
        unsafe isFree.deallocate()
    }

    /// Waits, outside, until another thread calls ``wakeOne()``, or perhaps less long. The caller is inside.
    package func wait() { unsafe monitor.wait(for: isFree) }

    /// As ``wait()``, no longer than until `deadline`, a time of `CLOCK_MONOTONIC`. A caller that does not take the thing
    /// calls ``wakeOne()``, as it may have been woken in place of a thread that would.
    package func wait(until deadline: Duration) { unsafe monitor.wait(for: isFree, until: deadline) }

    /// Wakes one thread, if any waits.
    package func wakeOne() { unsafe pthread_cond_signal(isFree) }
}
