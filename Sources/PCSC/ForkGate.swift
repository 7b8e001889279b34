// SPDX-License-Identifier: Apache-2.0
import CPCSC
import Glibc
import HostProcess
import Synchronization

/// Keeps fork(2) and calls of libpcsclite apart.
///
/// libpcsclite has one mutex for the whole process. It is held for moments in every call, and for as long as the
/// service needs to answer while a context is made. A child that was forked in such a moment would wait for that mutex
/// for good. So a fork waits until no brief call is under way, and new calls wait until it is done. For calls that may
/// be long, such as a command to a card, it waits only until they have begun. It waits for nothing longer than
/// `patience`. A child that may have inherited a locked mutex tries it once, in a thread of its own. If it is locked,
/// all calls of the child fail.
///
/// The Swift runtime has such mutexes too, held while a type is used for the first time. So a fork also waits, for as
/// long at most, until each thread that is inside of the library (``enterLibrary()``) has left it, or is in a long call
/// of libpcsclite.
@safe
package enum ForkGate {
    enum Length { case brief, long }

    /// The longest time that a fork is held up.
    static let patience = Duration.milliseconds(100)
    /// The time after which a long call certainly no longer holds the mutex.
    private static let begin = Duration.milliseconds(1)
    /// The time limit of a child's try of the mutex.
    private static let trial = Duration.seconds(2)

    @unsafe private struct State {
        var mutex = unsafe pthread_mutex_t()
        var changed = pthread_cond_t()
        var brief = 0
        var long = 0
        /// When the last long call began.
        var lastLong = Duration.zero
        /// Whether the mutex of libpcsclite may have been taken when this process was forked.
        var isDoubtful = false
        /// Whether a thread tries it.
        var isTried = false
    }

    /// The number of threads inside of the library.
    ///
    /// A thread that enters or leaves touches only this and `forks`, so that calls that need no card take no lock here. Such
    /// a thread counts itself first and looks for forks then; a thread that forks does both the other way round. So one of them
    /// sees the other.
    private static let inside = Atomic(0)
    /// The number of threads that are about to fork. It changes under the mutex.
    private static let forks = Atomic(0)
    private static var isForking: Bool { forks.load(ordering: .sequentiallyConsistent) > 0 }

    /// Made when the first call is made; it stays for the process and its children.
    nonisolated(unsafe) private static let state: UnsafeMutablePointer<State> = {
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: State())
        unsafe pthread_mutex_init(&state.pointee.mutex, nil)
        unsafe initialise(&state.pointee.changed)
        // Its handlers come first, so that its lock is taken after all that a fork waits for.
        StandardDescriptors.avoid(otherwise: ()) {}
        pthread_atfork(
            {
                let cancellation = Cancellation.withhold()
                ForkGate.prepare()
                cancellation.restore()
            }, { ForkGate.resume() }, { ForkGate.beginChild() })
        return unsafe state
    }()

    /// Begins an entry point of the library, when no fork is under way. It ends with ``leaveLibrary()``.
    package static func enterLibrary() {
        // Its handlers are there before a thread counts itself.
        let state = unsafe state
        inside.add(1, ordering: .sequentiallyConsistent)
        guard isForking else { return }
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        inside.subtract(1, ordering: .sequentiallyConsistent)
        unsafe pthread_cond_broadcast(&state.pointee.changed)
        while isForking { unsafe pthread_cond_wait(&state.pointee.changed, &state.pointee.mutex) }
        inside.add(1, ordering: .sequentiallyConsistent)
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    package static func leaveLibrary() {
        inside.subtract(1, ordering: .sequentiallyConsistent)
        guard isForking else { return }
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        unsafe pthread_cond_broadcast(&state.pointee.changed)
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    /// Calls libpcsclite when no fork is under way.
    ///
    /// - Returns: Its code; `SCARD_E_SERVER_TOO_BUSY` in a child that cannot use it.
    static func call(_ length: Length, _ body: () -> LONG) -> LONG {
        guard enter(length) else { return LONG(SCARD_E_SERVER_TOO_BUSY) }
        defer { leave(length) }
        return body()
    }

    /// Begins a call of libpcsclite, when no fork is under way. It ends with ``leave(_:)``.
    ///
    /// - Returns: Whether libpcsclite can be called.
    static func enter(_ length: Length) -> Bool {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        defer { unsafe pthread_mutex_unlock(&state.pointee.mutex) }
        // A fork waits for threads inside of the library, so that they must not wait for the fork.
        while isForking, inside.load(ordering: .sequentiallyConsistent) == 0 {
            unsafe pthread_cond_wait(&state.pointee.changed, &state.pointee.mutex)
        }
        guard hasFreeMutex() else { return false }
        switch length {
        case .brief: unsafe state.pointee.brief += 1
        case .long:
            unsafe state.pointee.long += 1
            unsafe state.pointee.lastLong = time()
            if isForking { unsafe pthread_cond_broadcast(&state.pointee.changed) }
        }
        return true
    }

    /// Whether libpcsclite's mutex is free, or is given back in time.
    private static func hasFreeMutex() -> Bool {
        guard unsafe state.pointee.isDoubtful else { return true }
        if unsafe !state.pointee.isTried {
            unsafe state.pointee.isTried = true
            var thread = pthread_t()
            let code = unsafe pthread_create(
                &thread, nil,
                { _ in
                    ForkGate.tryMutex()
                    return nil
                }, nil)
            guard code == 0 else { return false }
            pthread_detach(thread)
        }
        let end = time() + trial
        while unsafe state.pointee.isDoubtful, time() < end { wait(until: end) }
        return unsafe !state.pointee.isDoubtful
    }

    /// Waits for libpcsclite's mutex, for ever if it is locked.
    private static func tryMutex() {
        // Any handle will do: it is looked up under the mutex.
        _ = ServiceLibrary.opened?.SCardIsValidContext(0)
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        unsafe state.pointee.isDoubtful = false
        unsafe pthread_cond_broadcast(&state.pointee.changed)
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    static func leave(_ length: Length) {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        switch length {
        case .brief: unsafe state.pointee.brief -= 1
        case .long: unsafe state.pointee.long -= 1
        }
        if isForking { unsafe pthread_cond_broadcast(&state.pointee.changed) }
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    // MARK: fork(2)

    /// Before a fork. The gate's own mutex stays locked during it, so that the child finds the counts as they are.
    static func prepare() {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        forks.add(1, ordering: .sequentiallyConsistent)
        let end = time() + patience
        while time() < end {
            let threads = inside.load(ordering: .sequentiallyConsistent)
            if unsafe state.pointee.brief > 0 || threads > state.pointee.long {
                wait(until: end)
            } else if unsafe state.pointee.long > 0 {
                let quiet = unsafe state.pointee.lastLong + begin
                guard time() < quiet else { break }
                wait(until: quiet)
            } else {
                break
            }
        }
    }

    /// After a fork, in the parent.
    static func resume() {
        forks.subtract(1, ordering: .sequentiallyConsistent)
        unsafe pthread_cond_broadcast(&state.pointee.changed)
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    /// After a fork, in the child, which has none of the threads whose calls are counted.
    private static func beginChild() {
        unsafe state.pointee.isDoubtful =
            state.pointee.isDoubtful || state.pointee.brief > 0 || state.pointee.long > 0
        unsafe state.pointee.isTried = false
        unsafe (state.pointee.brief, state.pointee.long) = (0, 0)
        inside.store(0, ordering: .sequentiallyConsistent)
        forks.store(0, ordering: .sequentiallyConsistent)
        unsafe pthread_mutex_init(&state.pointee.mutex, nil)
        unsafe initialise(&state.pointee.changed)
    }

    /// Sets the condition's clock to the monotonic one.
    private static func initialise(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    private static func wait(until end: Duration) {
        let parts = end.components
        var time = timespec(
            tv_sec: Int(clamping: parts.seconds), tv_nsec: Int(clamping: parts.attoseconds / 1_000_000_000))
        unsafe pthread_cond_timedwait(&state.pointee.changed, &state.pointee.mutex, &time)
    }

    private static func time() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
