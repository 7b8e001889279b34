// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Whether the token is in the reader, controlled by signals: SIGUSR1 removes it, SIGUSR2 inserts it again.
enum Presence {
    private static let isAway = Atomic(false)
    /// Whether it was away since it was last put into the reader, however briefly.
    private static let hasLeft = Atomic(false)

    /// The interval at which an absent token checks whether it may return, in microseconds.
    private static let interval: useconds_t = 20_000

    /// Whether the token has been in the reader all the time since ``wait()``.
    static var isPresent: Bool { !hasLeft.load(ordering: .relaxed) }

    /// Listens to the signals. pcscd asks for the token several times a second, so that an absence shows at once.
    static func listen() {
        // The handlers must find the flags made.
        isAway.store(false, ordering: .relaxed)
        hasLeft.store(false, ordering: .relaxed)
        signal(SIGUSR1) { _ in
            Presence.isAway.store(true, ordering: .relaxed)
            Presence.hasLeft.store(true, ordering: .relaxed)
        }
        signal(SIGUSR2) { _ in Presence.isAway.store(false, ordering: .relaxed) }
    }

    /// Waits until the token may be in the reader.
    static func wait() {
        repeat {
            while isAway.load(ordering: .relaxed) { usleep(interval) }
            hasLeft.store(false, ordering: .relaxed)
            // It may have been taken away once more before that.
        } while isAway.load(ordering: .relaxed)
    }
}
