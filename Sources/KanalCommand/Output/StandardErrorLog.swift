// SPDX-License-Identifier: Apache-2.0
import Logging
import Terminal

/// Messages of KanalKit on standard error, a line for each.
struct StandardErrorLog: LogHandler {
    private let stream = OutputStream.error
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        try? stream.write("kanal: \(event.message.description.printable)\n")
    }
}
