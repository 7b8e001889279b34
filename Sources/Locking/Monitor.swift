// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock that its holder can leave for a while, and inside of which it can wait for a change.
///
/// It is for state with a device behind it: a thread waits for the device outside, so that others reach the state in
/// that time. Facts about the state from before ``outside(_:)`` and ``wait()`` need not hold after them.
@safe
package final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let change: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe change = Self.condition()
    }

    /// A condition whose clock cannot be set.
    static func condition() -> UnsafeMutablePointer<pthread_cond_t> {
        let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        return unsafe condition
    }

    deinit {
        unsafe pthread_cond_destroy(change)
        unsafe change.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Waits until no other thread is inside, and is there until ``leave()``.
    package func enter() { unsafe pthread_mutex_lock(mutex) }

    /// As ``enter()``, unless another thread is inside at the moment.
    ///
    /// - Returns: Whether the caller is inside.
    package func enterIfAvailable() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }

    package func leave() { unsafe pthread_mutex_unlock(mutex) }

    /// Calls `body` while other threads may be inside. The caller is inside, and is so again afterwards.
    package func outside<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        leave()
        defer { enter() }
        return try body()
    }

    /// Waits, outside, until another thread has signalled a change, or perhaps less long. The caller is inside.
    package func wait() { unsafe wait(for: change) }

    func wait(for condition: UnsafeMutablePointer<pthread_cond_t>) {
        unsafe pthread_cond_wait(condition, mutex)
    }

    func wait(for condition: UnsafeMutablePointer<pthread_cond_t>, until deadline: Duration) {
        let parts = deadline.components
        var time = timespec(
            tv_sec: Int(clamping: parts.seconds), tv_nsec: Int(clamping: parts.attoseconds / 1_000_000_000))
        unsafe pthread_cond_timedwait(condition, mutex, &time)
    }

    /// Wakes all threads that wait for a change.
    package func tellOfChange() { unsafe pthread_cond_broadcast(change) }
}
