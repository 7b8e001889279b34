// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess
import Locking
import Secrets
import Translation

/// A descriptor that results or messages are written to.
package struct OutputStream: Sendable {
    /// The present command's streams.
    package static var output: OutputStream { ProgramContext.current.output }
    package static var error: OutputStream { ProgramContext.current.error }

    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    package var style: Style { Style(descriptor: descriptor) }

    var isTerminal: Bool { isatty(descriptor) == 1 }

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

    /// Occupies the free numbers from 0 to 2, so that no file gets one of them and with it the program's
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

extension String {
    /// The text as it may be shown on a terminal. Characters that would move the cursor, change colours, hide text or
    /// turn its direction are written as `\u{…}`; bytes of a file's name that are not UTF-8 as `\xe0`.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isHarmful) else { return self }
        return shownName.unicodeScalars.map { scalar in
            Self.isHarmful(scalar) ? "\\u{\(scalar.value.hexadecimal())}" : String(scalar)
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
                result += Array("\\u\(unit.hexadecimal(digits: 4))".utf8)
            }
        }
        return result
    }
}
