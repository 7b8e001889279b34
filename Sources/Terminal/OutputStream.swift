// SPDX-License-Identifier: Apache-2.0
import CHostProcess
import Glibc
import HostProcess
package import Translation

/// A descriptor that results or messages are written to.
package struct OutputStream: Sendable {
    package static let output = OutputStream(descriptor: 1)
    package static let error = OutputStream(descriptor: 2)

    package let descriptor: Int32

    package var style: Style { Style(descriptor: descriptor) }

    /// Writes everything.
    ///
    /// - Throws: ``SystemError`` if no space is left, or the pipe is closed.
    package func write(_ octets: some Collection<UInt8>) throws(SystemError) {
        var rest = Array(octets)[...]
        while !rest.isEmpty {
            let count = WriteSignals.withheld {
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

    private var name: Phrase { descriptor == 1 ? "standard output" : "standard error" }

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
