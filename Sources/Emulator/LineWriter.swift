// SPDX-License-Identifier: Apache-2.0

import APDU
import Glibc
import GOST
import Secrets
@_exported public import TokenEnd

/// Writes lines of text that are out at once: to standard output or error, or to a file that only its owner can read.
package struct LineWriter: ~Copyable {
    private let descriptor: Int32

    /// Standard output.
    package static var standardOutput: LineWriter { LineWriter(descriptor: STDOUT_FILENO) }

    /// Standard error.
    package static var standardError: LineWriter { LineWriter(descriptor: STDERR_FILENO) }

    /// Appends to the file at `path`, which is made if it is missing. Nil if it cannot be opened.
    package init?(path: String) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

    /// Writes the line and its end. A line that cannot be written is lost.
    package borrowing func write(_ line: String) {
        let bytes = Array(line.utf8) + [0x0A]
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else { return }
            written += result
        }
    }
}
