// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Secrets
import Translation

/// The controlling terminal, regardless of the standard streams.
package final class Console: Conversation {
    /// Why an answer did not come.
    package enum Failure: Error {
        /// No terminal is available.
        case none
        /// The person wants to end, or the terminal was closed.
        case interrupted
    }

    /// The longest answer, in bytes: the longest shared secret.
    private static let limit = 8192

    private let descriptor: Int32

    /// - Throws: ``Failure/none`` if the process has no terminal, or is not in its foreground.
    package init() throws(Failure) {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw .none }
        guard tcgetpgrp(terminal) == getpgrp() else {
            close(terminal)
            throw .none
        }
        descriptor = terminal
    }

    deinit { close(descriptor) }

    package var style: Style { Style(descriptor: descriptor) }

    package func show(_ text: String) { try? OutputStream(descriptor: descriptor).write(text) }

    package func line(_ prompt: String) throws(Failure) -> String {
        let answer = try answer(prompt, isShown: true)
        return String(decoding: [UInt8](copying: answer), as: UTF8.self)
    }

    package func secret(_ prompt: String) throws(Failure) -> Secret { try answer(prompt, isShown: false) }

    /// Reads the typed keys one by one, so that only the memory of a secret holds them.
    private func answer(_ prompt: String, isShown: Bool) throws(Failure) -> Secret {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw .none }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        raw.c_iflag |= tcflag_t(ICRNL)
        // Input from before the question does not answer it.
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &raw) == 0 else { throw .none }
        defer {
            var before = before
            unsafe tcsetattr(descriptor, TCSADRAIN, &before)
        }
        show(prompt)
        var typed = Secret(count: Self.limit)
        var count = 0
        var isTooLong = false
        while true {
            switch try key() {
            case 0x0A where isTooLong, 0x0D where isTooLong:
                show("\n" + translated("At most \(Self.limit) bytes can be typed.") + "\n" + prompt)
                (count, isTooLong) = (0, false)
            case 0x0A, 0x0D:
                show("\n")
                return typed.extracting(0..<count)
            case 0x03, 0x1C:
                show("\n")
                Interruption.request()
                throw .interrupted
            case 0x04 where count == 0:
                show("\n")
                throw .interrupted
            case 0x7F, 0x08:
                let end = Self.end(beforeLastCharacterOf: typed, count)
                if isShown, end < count { show("\u{8} \u{8}") }
                count = end
            case 0x15:
                if isShown { show(String(repeating: "\u{8} \u{8}", count: count)) }
                (count, isTooLong) = (0, false)
            case let byte where byte >= 0x20:
                guard count < Self.limit else {
                    isTooLong = true
                    break
                }
                var bytes = typed.mutableBytes
                bytes[count] = byte
                count += 1
                if isShown { try? OutputStream(descriptor: descriptor).write([byte]) }
            default: break
            }
        }
    }

    /// The offset of the last character in the first `count` bytes of UTF-8.
    private static func end(beforeLastCharacterOf typed: borrowing Secret, _ count: Int) -> Int {
        let bytes = typed.bytes
        var end = count
        while end > 0 {
            end -= 1
            if bytes[end] & 0xC0 != 0x80 { break }
        }
        return end
    }

    /// The next byte that is typed.
    private func key() throws(Failure) -> UInt8 {
        while true {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&waiting, 2, -1) >= 0 || errno == EINTR else { throw .interrupted }
            guard !Interruption.isRequested else { throw .interrupted }
            guard waiting[0].revents != 0 else { continue }
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR || errno == EAGAIN else { throw .interrupted }
        }
    }
}
