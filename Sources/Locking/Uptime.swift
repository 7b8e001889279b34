import Glibc

/// The time since the machine was started, suspend included: for periods that nobody can stretch by setting the clock or
/// by closing the lid.
public struct Uptime: Sendable {
    private let read: @Sendable () -> Duration

    /// A clock that `read` reads, for tests.
    public init(_ read: @escaping @Sendable () -> Duration) { self.read = read }

    /// What the clock shows.
    public var now: Duration { read() }

    /// The kernel's clock, `CLOCK_BOOTTIME`.
    public static let system = Uptime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
