// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc

/// The descriptors 0 to 2, which programs take for standard input, output and error whatever they lead to. If a program
/// has closed them, the next file or socket would get such a number, and with it the program's output.
@safe
package enum StandardDescriptors {
    /// The state of all threads, under `mutex`.
    private struct State {
        /// The number of threads that want the numbers kept.
        var users = 0
        /// The numbers that are kept here, a bit for each.
        var held: UInt8 = 0
    }

    nonisolated(unsafe) private static var state = State()
    nonisolated(unsafe) private static let mutex = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        return unsafe mutex
    }()
    /// A child has only the thread that forked, and releases the numbers that others kept.
    private static let isReadyToFork: Bool = {
        pthread_atfork(
            { unsafe pthread_mutex_lock(StandardDescriptors.mutex) },
            { unsafe pthread_mutex_unlock(StandardDescriptors.mutex) },
            {
                StandardDescriptors.letGo()
                unsafe StandardDescriptors.state.users = 0
                unsafe pthread_mutex_unlock(StandardDescriptors.mutex)
            }) == 0
    }()

    /// Runs `body`, which may open files and sockets, none of which gets a number from 0 to 2. Free ones of those
    /// numbers are taken during the run, by descriptors that can be neither read nor written.
    ///
    /// - Parameter failure: The value to return, with `errno` set and without running `body`, if no descriptors are
    ///   left to take the numbers.
    package static func avoid<Result>(otherwise failure: @autoclosure () -> Result, _ body: () -> Result) -> Result {
        guard hold() else { return failure() }
        defer { release() }
        return body()
    }

    /// Whether the process, or the system, has no descriptor left.
    package static var areUsedUp: Bool {
        let number = unsafe open("/", path_only | O_CLOEXEC)
        guard number >= 0 else { return errno == EMFILE || errno == ENFILE }
        close(number)
        return false
    }

    private static func hold() -> Bool {
        guard isReadyToFork else {
            errno = ENOMEM
            return false
        }
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        for standard in 0...2 as ClosedRange<Int32> where fcntl(standard, F_GETFD) < 0 {
            // The least number that is free.
            let number = unsafe open("/", path_only | O_CLOEXEC)
            if number > 2 {
                close(number)
            } else if number >= 0 {
                unsafe state.held |= 1 << UInt8(number)
            } else {
                let code = errno
                if unsafe state.users == 0 { letGo() }
                errno = code
                return false
            }
        }
        unsafe state.users += 1
        return true
    }

    private static func release() {
        let code = errno
        unsafe pthread_mutex_lock(mutex)
        unsafe state.users -= 1
        if unsafe state.users == 0 { letGo() }
        unsafe pthread_mutex_unlock(mutex)
        errno = code
    }

    /// Frees the numbers, but those that the program has put something of its own under.
    private static func letGo() {
        for number in 0...2 as ClosedRange<Int32> where unsafe state.held & 1 << UInt8(number) != 0 {
            let flags = fcntl(number, F_GETFL)
            if flags >= 0, flags & path_only != 0 { close(number) }
        }
        unsafe state.held = 0
    }
}
