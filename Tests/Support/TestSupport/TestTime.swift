// SPDX-License-Identifier: Apache-2.0
package import Locking
package import Logging
import Token

/// Time that passes only in a wait, or when the test lets it pass.
package final class TestTime: Sendable {
    private let state = Lock(State())

    package init() {}

    private struct State {
        var uptime = Duration.seconds(1000)
        var suspended = Duration.zero
        /// Actions by the time at which they run.
        var events: [(time: Duration, action: @Sendable () -> Void)] = []
    }

    package var clocks: Clocks {
        Clocks(
            uptime: Uptime { self.state.withLock { $0.uptime } },
            awake: Uptime { self.state.withLock { $0.uptime - $0.suspended } },
            pause: { self.pass($0) })
    }

    /// Runs `action` when this much time has passed.
    package func after(_ duration: Duration, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.events.append(($0.uptime + duration, action)) }
    }

    package func pass(_ duration: Duration) {
        let due = state.withLock { state in
            state.uptime += duration
            defer { state.events.removeAll { $0.time <= state.uptime } }
            return state.events.filter { $0.time <= state.uptime }
        }
        for event in due { event.action() }
    }

    package func suspend(_ duration: Duration) {
        state.withLock { state in
            state.uptime += duration
            state.suspended += duration
        }
    }
}

/// A log that a test reads.
package final class Journal: Sendable {
    private let lines = Lock<[(id: String?, text: String)]>([])

    package init() {}

    package var logger: Logger { Logger(label: "test") { _ in Handler(journal: self) } }
    package var messages: [String] { lines.withLock { $0.map(\.text) } }
    /// The identifiers of the messages that have one.
    package var ids: [String] { lines.withLock { $0.compactMap(\.id) } }

    private struct Handler: LogHandler {
        let journal: Journal
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let id = event.metadata?[Logger.messageIDKey].map { "\($0)" }
            journal.lines.withLock { $0.append((id, "\(event.message)")) }
        }
    }
}
