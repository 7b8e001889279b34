// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The time since the machine was started, suspend included: for periods that cannot be stretched by setting the clock
/// or by closing the lid.
package struct Uptime: Sendable {
    private let read: @Sendable () -> Duration

    /// A clock that `read` reads, for tests.
    package init(_ read: @escaping @Sendable () -> Duration) { self.read = read }

    /// The present time of the clock.
    package var now: Duration { read() }

    /// The kernel's clock, `CLOCK_BOOTTIME`.
    package static let system = Uptime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
