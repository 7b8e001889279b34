// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostProcess
import Logging
import Token

/// The file to which each message is appended as one line.
///
/// It is a regular file of the process's user, so that a program neither writes where its user may not, nor waits for a
/// reader. `/dev/stderr` means the program's descriptor 2, which can also be a pipe, a socket or a terminal. Messages
/// that it does not take at once are lost. No write ends the program by a signal.
package struct LogFile: Sendable {
    private let number: Int32
    private let isSocket: Bool

    /// - Returns: nil if the file cannot be written. A missing log must not stop a program.
    package init?(path: String) {
        guard let found = path == "/dev/stderr" ? Self.standardError() : Self.regular(path) else { return nil }
        (number, isSocket) = found
    }

    private static func regular(_ path: String) -> (Int32, Bool)? {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let number = StandardDescriptors.avoid(otherwise: -1) { unsafe open(path, flags, 0o600) }
        guard number >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            close(number)
            return nil
        }
        return (number, false)
    }

    /// Pipes and terminals are opened again where that is allowed, because the flag not to wait belongs to the open
    /// file, which other programs share. A regular file keeps one position for both writers.
    private static func standardError() -> (Int32, Bool)? {
        var status = stat()
        guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        let number: Int32
        switch kind {
        case S_IFREG, S_IFSOCK: number = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        case S_IFIFO, S_IFCHR:
            number = StandardDescriptors.avoid(otherwise: -1) {
                unsafe open("/proc/self/fd/2", O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            }
        default: return nil
        }
        return number >= 0 ? (number, kind == S_IFSOCK) : nil
    }

    func append(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            if isSocket {
                _ = unsafe send(
                    number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            } else {
                _ = WriteSignals.blocked { unsafe write(number, bytes.baseAddress, bytes.count) }
            }
        }
    }
}
