import Glibc
import Synchronization

/// Whether the token is in the reader, as signals say: SIGUSR1 takes it away, SIGUSR2 brings it back.
enum Presence {
    private static let isAway = Atomic(false)

    /// How often an absent token looks whether it may return, in microseconds.
    private static let interval: useconds_t = 20_000

    static var isPresent: Bool { !isAway.load(ordering: .relaxed) }

    /// Listens to the signals. pcscd asks for the token several times a second, so that an absence shows at once.
    static func listen() {
        // The handlers must find the flag made.
        isAway.store(false, ordering: .relaxed)
        signal(SIGUSR1) { _ in Presence.isAway.store(true, ordering: .relaxed) }
        signal(SIGUSR2) { _ in Presence.isAway.store(false, ordering: .relaxed) }
    }

    /// Waits until the token is back.
    static func wait() {
        while !isPresent { usleep(interval) }
    }
}
