// SPDX-License-Identifier: Apache-2.0

/// A value for all threads, which they reach inside of its monitor.
@safe
package final class Monitored<Value>: @unchecked Sendable {
    private let value: Value
    private let monitor: Monitor

    package init(_ value: Value, in monitor: Monitor) {
        self.value = value
        self.monitor = monitor
    }

    /// Runs `body` with the value, inside of the monitor.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        monitor.enter()
        defer { monitor.leave() }
        return try body(value)
    }

    /// The value, for a caller that is inside of the monitor until it calls ``leave()``.
    package func enter() -> Value {
        monitor.enter()
        return value
    }

    package func leave() { monitor.leave() }
}
