import Cryptoki
import Glibc
import Logging

/// Where the library says what it does: in the file that `KANAL_LOG` names, and nowhere else.
enum ProviderLog {
    static let logger = Logger(label: "kanal") { _ in
        if let file { file } else { SwiftLogNoOpLogHandler() }
    }

    /// Whether anyone reads what is logged.
    static var isActive: Bool { file != nil }

    private static let file = environment("KANAL_LOG").flatMap(FileLogHandler.init(path:))

    /// Logs a call, and why it was refused.
    static func call(_ name: StaticString, _ error: CKError?) {
        logger.debug("\(function: name) \(error?.line ?? "0x00000000")")
    }
}

extension Logger.Message.StringInterpolation {
    /// A function's name without its parameters.
    mutating func appendInterpolation(function: StaticString) {
        appendInterpolation(function.description.prefix { $0 != "(" })
    }
}

/// Appends each message to a file as one line.
struct FileLogHandler: LogHandler {
    private let file: Int32
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    /// A link is not followed, so that nobody who can write the directory sends the log elsewhere. `/dev/stderr`, which
    /// is one, means the descriptor, whatever it leads to.
    ///
    /// - Returns: nil if the file cannot be written. A log that is not there must not stop anyone.
    init?(path: String) {
        file =
            path == "/dev/stderr"
            ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
            : unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        var line = "\(Self.time()) [\(getpid())] \(event.level): \(event.message)\(details)\n"
        line.withUTF8 { bytes in
            _ = unsafe write(file, bytes.baseAddress, bytes.count)
        }
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
