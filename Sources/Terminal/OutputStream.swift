// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess
import Locking
package import Translation

/// A descriptor that results or messages are written to.
package struct OutputStream: Sendable {
    /// Those of the present command.
    package static var output: OutputStream { ProgramContext.current.output }
    package static var error: OutputStream { ProgramContext.current.error }

    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    package var style: Style { Style(descriptor: descriptor) }

    fileprivate var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes everything.
    ///
    /// - Throws: ``SystemError`` if no space is left, or the pipe is closed.
    package func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = WriteSignals.blocked {
                unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                try Interruption.wait(for: descriptor, POLLOUT, name)
            } else if count == 0 || errno != EINTR {
                throw SystemError(count == 0 ? EIO : errno, name)
            }
        }
    }

    package func write(_ text: String) throws(SystemError) { try write(text.utf8) }

    private var name: Phrase { descriptor == Self.output.descriptor ? "standard output" : "standard error" }

    /// Takes those of the numbers 0 to 2 that are free, so that no file gets one of them and with it the program's
    /// output. They can be neither read nor written.
    package static func takeFreeNumbers() {
        while true {
            // The least number that is free.
            let number = unsafe open("/dev/null", path_only | O_CLOEXEC)
            if number > 2 { close(number) }
            guard (0...2).contains(number) else { return }
        }
    }
}

/// A refusal of the operating system.
package struct SystemError: Explained, Equatable {
    package let code: Int32
    /// The subject of the refusal, such as a file's name.
    package let subject: Phrase

    package init(_ code: Int32, _ subject: Phrase) {
        self.code = code
        self.subject = subject
    }

    package init(_ code: Int32, _ name: String) { self.init(code, Phrase(verbatim: name.printable)) }

    /// Whether the reader has closed the pipe.
    package var isClosedPipe: Bool { code == EPIPE }

    /// Whether the end was requested during the wait.
    package var isInterruption: Bool { code == EINTR }

    package var explanation: Phrase {
        "\(subject): \(Phrase(errno: code))"
    }
}

extension String {
    /// The text as it may be shown on a terminal. Characters that would move the cursor, change colours, hide text or
    /// turn its direction are written as `\u{…}`; bytes of a file's name that are not UTF-8 as `\xe0`.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isHarmful) else { return self }
        return shownName.unicodeScalars.map { scalar in
            Self.isHarmful(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }

    fileprivate static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}

extension Sequence<UInt8> {
    /// JSON with the same meaning that may be shown on a terminal: characters that ``String/printable`` does not show as they
    /// are have the form `\u202e`, in UTF-16. Spaces and the ends of lines stay: in texts JSON has none of the latter.
    package var withoutTerminalCharacters: [UInt8] {
        let text = String(decoding: Array(self), as: UTF8.self)
        guard text.unicodeScalars.contains(where: { $0 != "\n" && String.isHarmful($0) }) else { return Array(self) }
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard scalar != "\n", String.isHarmful(scalar) else {
                result += UTF8.encode(scalar).map(Array.init) ?? []
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += Array("\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8)
            }
        }
        return result
    }
}

/// A line on the terminal's screen that rewrites itself while something takes longer than a second. Nothing is written
/// if standard error is not a terminal. Of several, the one that began last is shown.
package final class ProgressLine: Sendable {
    private struct State {
        var text: String
        var isShown = false
        var shownAt = ContinuousClock.Instant?.none
    }

    /// Those that have not ended, by what tells them apart.
    private static let lines = Lock<[ObjectIdentifier]>([])

    private let state: Lock<State>
    private let start = ContinuousClock.now
    private let stream = OutputStream.error
    private let isTerminal = OutputStream.error.isTerminal
    private let ticker = Lock<Task<Void, Never>?>(nil)

    /// - Parameter text: The work in progress, until ``update(_:)`` says more.
    package init(_ text: Phrase) {
        state = Lock(State(text: translated(text)))
        guard isTerminal else { return }
        Self.lines.withLock { $0.append(ObjectIdentifier(self)) }
        let task = Task { [weak self] in
            while !Task.isCancelled {
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                guard let self else { return }
                self.show()
            }
        }
        ticker.withLock { $0 = task }
    }

    deinit { end() }

    /// Updates the text. The screen follows ten times a second at most.
    package func update(_ text: Phrase) {
        let words = translated(text)
        let isDue = state.withLock { state in
            state.text = words
            return state.shownAt.map { ContinuousClock.now - $0 > .milliseconds(100) } ?? true
        }
        if isDue { show() }
    }

    /// Removes the line.
    package func end() {
        ticker.withLock { ticker in
            ticker?.cancel()
            ticker = nil
        }
        Self.lines.withLock { lines in lines.removeAll { $0 == ObjectIdentifier(self) } }
        state.withLock { state in
            if state.isShown { try? stream.write("\r\u{1B}[K") }
            state.isShown = false
        }
    }

    private func show() {
        guard isTerminal, ContinuousClock.now - start >= .seconds(1) else { return }
        guard Self.lines.withLock({ $0.last == ObjectIdentifier(self) }) else { return }
        let width = stream.style.width ?? 80
        state.withLock { state in
            var text = ""
            for character in state.text.printable where (text + String(character)).columns < width {
                text.append(character)
            }
            try? stream.write("\r\(text)\u{1B}[K")
            (state.isShown, state.shownAt) = (true, .now)
        }
    }
}
