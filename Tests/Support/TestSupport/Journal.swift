import Locking
package import Logging

/// A log that a test reads.
package final class Journal: Sendable {
    private let lines = Lock<[String]>([])

    package init() {}

    package var logger: Logger { Logger(label: "test") { _ in Handler(journal: self) } }
    package var messages: [String] { lines.withLock { $0 } }

    private struct Handler: LogHandler {
        let journal: Journal
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { journal.lines.withLock { $0.append("\(event.message)") } }
    }
}
