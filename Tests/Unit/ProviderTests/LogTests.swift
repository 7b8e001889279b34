// SPDX-License-Identifier: Apache-2.0
import Foundation
import Locking
import Logging
import Provider
import Synchronization
import TestSupport
import Testing
import Token
import Translation

@Suite("The library's log")
struct LogTests {
    private let folder = "/tmp/kanal-log-\(UUID().uuidString)"

    private func inFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body()
    }

    private func handler(_ file: LogFile?, _ log: AdministratorLog) -> Logger {
        Logger(label: "test") { _ in ProviderLogHandler(file: file, administrator: { log }) }
    }

    private var silent: AdministratorLog { AdministratorLog(SystemLog(path: folder + "/none"), program: "test") }

    @Test(
        "What could begin a line, move the cursor or turn the text around is escaped",
        arguments: [
            ("a\nb", "a\\u{A}b"), ("\u{1B}[2J", "\\u{1B}[2J"), ("\u{7F}\u{85}\u{9B}", "\\u{7F}\\u{85}\\u{9B}"),
            ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{202E}\u{200B}\u{FEFF}", "\\u{202E}\\u{200B}\\u{FEFF}"),
            ("\\u{A}", "\\u{5C}u{A}"), ("\u{E000}\u{10FFFF}", "\\u{E000}\\u{10FFFF}"),
            ("Имя 12, ~", "Имя 12, ~"), ("\r\n\t", "\\u{D}\\u{A}\\u{9}"),
        ])
    func escapes(_ text: String, _ expected: String) {
        #expect(LogLine.escaped(text) == expected)
    }

    @Test("Message and metadata are one line, whatever they hold; bad UTF-8 is U+FFFD")
    func line() throws {
        try inFolder {
            let file = LogFile(path: folder + "/log")
            let bad = String(decoding: [0x41, 0xFF, 0x0A] as [UInt8], as: UTF8.self)
            handler(file, silent).info("one\n* * * * * root id\(bad)", metadata: ["key\n": "value\u{2028}"])
            let text = try String(contentsOfFile: folder + "/log", encoding: .utf8)
            #expect(text.unicodeScalars.count { $0 == "\n" || $0 == "\u{2028}" } == 1)
            #expect(text.hasSuffix("info: one\\u{A}* * * * * root idA\u{FFFD}\\u{A} key\\u{A}=value\\u{2028}\n"))
        }
    }

    @Test("Only a regular file of one's own is a log: no link, FIFO, device, directory or socket")
    func kinds() throws {
        try inFolder {
            #expect(LogFile(path: folder + "/log") != nil)
            #expect(unsafe symlink(folder + "/target", folder + "/link") == 0)
            #expect(LogFile(path: folder + "/link") == nil)
            #expect(!FileManager.default.fileExists(atPath: folder + "/target"))
            #expect(unsafe mkfifo(folder + "/fifo", 0o600) == 0)
            #expect(LogFile(path: folder + "/fifo") == nil)
            let reader = unsafe open(folder + "/fifo", O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            #expect(LogFile(path: folder + "/fifo") == nil)
            #expect(LogFile(path: "/dev/null") == nil)
            #expect(LogFile(path: folder) == nil)
        }
    }

    @Test("A file of another user is no log", .needsRoot)
    func owner() throws {
        try inFolder {
            #expect(FileManager.default.createFile(atPath: folder + "/other", contents: nil))
            #expect(unsafe chown(folder + "/other", 65534, 65534) == 0)
            #expect(LogFile(path: folder + "/other") == nil)
        }
    }
}

@Suite("What the administrator is told")
struct AdministratorLogTests {
    /// A socket such as /dev/log.
    private final class Listener {
        let path = "/tmp/kanal-syslog-\(UUID().uuidString)"
        private let number: Int32

        init() {
            number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            let result = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(result == 0)
        }

        deinit {
            close(number)
            unsafe unlink(path)
        }

        /// The messages received so far.
        func messages() -> [String] {
            var messages: [String] = []
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe recv(number, &bytes, bytes.count, 0)
                guard count >= 0 else { return messages }
                messages.append(String(decoding: bytes.prefix(count), as: UTF8.self))
            }
        }
    }

    @Test(
        "Marked messages reach the system's log as AUTHPRIV, one line each; others do not, nor does a log file matter")
    func marked() {
        let listener = Listener()
        let log = AdministratorLog(SystemLog(path: listener.path), program: "pro\ngram")
        let logger = Logger(label: "test") { _ in ProviderLogHandler(file: nil, administrator: { log }) }
        logger.error("not for the administrator")
        logger.securityEvent(.attackWrongMAC, "a wrong\nMAC", reader: "Reader 00")
        logger.administratorError(.configurationClosed, "kanal.conf has an error")
        let start = "kanal[\(getpid())]: pro\\u{A}gram: "
        #expect(
            listener.messages() == [
                "<84>\(start)[attack.wrong-mac] a wrong\\u{A}MAC reader=Reader 00 security=event",
                "<83>\(start)[configuration.closed] kanal.conf has an error security=error",
            ])
    }

    @Test("The same message is sent once in ten minutes, and sixteen in all, the last of which says so")
    func limit() {
        let listener = Listener()
        let clock = Mutex(Duration.zero)
        let log = AdministratorLog(
            SystemLog(path: listener.path), uptime: Uptime { clock.withLock { $0 } }, program: "test")
        for _ in 0..<1000 { log.report("one", level: .warning) }
        #expect(listener.messages().count == 1)
        // The kernel keeps few messages for a listener.
        let messages = (0..<100).flatMap { number in
            log.report("\(number)", level: .warning)
            return listener.messages()
        }
        #expect(messages.count == AdministratorLog.most)
        #expect(messages.last?.hasSuffix("no more messages for 600 s") == true)
        clock.withLock { $0 = .seconds(599) }
        log.report("one", level: .warning)
        log.report("new", level: .warning)
        #expect(listener.messages().isEmpty)
        clock.withLock { $0 = .seconds(600) }
        log.report("one", level: .warning)
        #expect(listener.messages().count == 1)
    }

    @Test("Nothing is sent where the administrator wants nothing")
    func off() {
        let listener = Listener()
        let log = AdministratorLog(SystemLog(path: listener.path), program: "test")
        log.turn(on: false)
        log.report("one", level: .error)
        #expect(listener.messages().isEmpty)
        log.turn(on: true)
        log.report("one", level: .error)
        #expect(listener.messages().count == 1)
    }

    @Test("A system's log that is not there, does not read, or has too long a path holds nobody up")
    func unheard() {
        let listener = Listener()
        for number in 0..<2000 { SystemLog(path: listener.path).send("message \(number)", level: .error) }
        #expect(!listener.messages().isEmpty)
        SystemLog(path: "/nonexistent/log").send("x", level: .error)
        SystemLog(path: String(repeating: "x", count: 200)).send("x", level: .error)
    }

    @Test("A message has at most 1024 bytes")
    func length() {
        let listener = Listener()
        SystemLog(path: listener.path).send(String(repeating: "x", count: 5000), level: .error)
        #expect(listener.messages().map(\.utf8.count) == [1024])
    }
}
