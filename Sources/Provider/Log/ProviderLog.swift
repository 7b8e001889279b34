// SPDX-License-Identifier: Apache-2.0
import Cryptoki
import Glibc
import HostProcess
package import Logging
import Token

/// The log: the file that `KANAL_LOG` names, and messages to the administrator.
enum ProviderLog {
    static let logger = Logger(label: "kanal") { _ in
        ProviderLogHandler(file: file) { Process.current.administratorLog }
    }

    /// Whether all messages go to a file.
    static var isActive: Bool { file != nil }

    private static let file = Environment.variable("KANAL_LOG").flatMap(LogFile.init(path:))

    /// Logs a call, and the reason of its refusal.
    static func call(_ name: StaticString, _ error: CKError?) {
        logger.identified(.debug, error?.messageID, "\(function: name) \(error?.line ?? "0x00000000")")
    }
}

extension Logger.Message.StringInterpolation {
    /// A function's name without its parameters.
    mutating func appendInterpolation(function: StaticString) {
        appendInterpolation(function.description.prefix { $0 != "(" })
    }
}

/// Writes each message as one line to the file, and marked ones also to the administrator's log.
package struct ProviderLogHandler: LogHandler {
    private let file: LogFile?
    private let administrator: @Sendable () -> AdministratorLog
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]

    /// - Parameter administrator: Returns the administrator's log.
    package init(file: LogFile?, administrator: @escaping @Sendable () -> AdministratorLog) {
        self.file = file
        self.administrator = administrator
        logLevel = file == nil ? .warning : .trace
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let isMarked = event.metadata?[Logger.securityEventKey] != nil
        guard file != nil || isMarked else { return }
        let text = LogLine.text(event)
        file?.append("\(Self.time()) [\(getpid())] \(event.level): \(text)\n")
        if isMarked { administrator().report(text, level: event.level) }
    }

    /// Now, in UTC, to the microsecond.
    private static func time() -> String {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        var parts = unsafe tm()
        unsafe gmtime_r(&now.tv_sec, &parts)
        func digits(_ value: some BinaryInteger, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = unsafe [digits(parts.tm_year + 1900, 4), digits(parts.tm_mon + 1, 2), digits(parts.tm_mday, 2)]
        let time = unsafe [digits(parts.tm_hour, 2), digits(parts.tm_min, 2), digits(parts.tm_sec, 2)]
        return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(digits(now.tv_nsec / 1000, 6))Z"
    }
}
