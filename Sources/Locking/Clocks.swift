// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The passing of time: the system's clocks, or a test's.
package struct Clocks: Sendable {
    /// The time since the machine was started, suspend included.
    package var uptime: Uptime
    /// The same without the time in which the machine was suspended.
    package var awake: Uptime
    /// Lets the present thread rest.
    package var pause: @Sendable (Duration) -> Void

    package init(uptime: Uptime, awake: Uptime, pause: @escaping @Sendable (Duration) -> Void) {
        self.uptime = uptime
        self.awake = awake
        self.pause = pause
    }

    /// `CLOCK_BOOTTIME`, `CLOCK_MONOTONIC` and `nanosleep(2)`.
    package static let system = Clocks(
        uptime: .system,
        awake: Uptime {
            var time = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        },
        pause: { duration in
            let parts = duration.components
            var time = timespec(
                tv_sec: Int(clamping: parts.seconds), tv_nsec: Int(clamping: parts.attoseconds / 1_000_000_000))
            unsafe nanosleep(&time, nil)
        })

    /// The time that the machine has been suspended since it was started.
    ///
    /// The clocks are read again if much time passes in between: the thread was held up, and the difference is wrong.
    package var suspended: Duration {
        var (before, time) = (awake.now, uptime.now)
        for _ in 0..<8 where awake.now - before > .milliseconds(20) { (before, time) = (awake.now, uptime.now) }
        return time - before
    }
}
