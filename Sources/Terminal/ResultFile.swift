// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
import Locking

/// A file that comes to be whole or not at all: it is written under another name beside its place, and moved there
/// when everything is on the disk. If it is not finished, nothing of it stays.
package final class ResultFile: Sendable {
    private let path: String
    private let temporary: String
    private let isPrivate: Bool
    /// -1 when it is closed.
    private let descriptor: Lock<Int32>

    /// - Parameters:
    ///   - replaces: Whether a file of this name may be there already.
    ///   - isPrivate: Whether nobody but its owner may read the file, whoever could read the one before.
    package init(_ path: String, replaces: Bool = true, isPrivate: Bool = false) throws(SystemError) {
        self.isPrivate = isPrivate
        guard unsafe replaces || access(path, F_OK) != 0 else { throw SystemError(EEXIST, path) }
        // A device or a pipe is written to; nothing can stand beside it.
        var status = stat()
        let opened: Int32
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            temporary = path
            self.path = path
            opened = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        } else {
            // A link stays, and what it leads to is replaced.
            let place = unsafe realpath(path, nil)
            defer { unsafe free(place) }
            self.path = unsafe place.map { unsafe String(cString: $0) } ?? path
            temporary = "\(self.path).\(getpid()).part"
            opened = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o666)
        }
        let code = errno
        descriptor = Lock(opened)
        guard opened >= 0 else { throw SystemError(code, path) }
    }

    deinit { discard() }

    package func write(_ octets: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try OutputStream(descriptor: descriptor.withLock { $0 }).write(octets)
        } catch {
            throw SystemError(error.code, path)
        }
    }

    /// Puts the file in its place.
    package func finish() throws(SystemError) {
        let descriptor = descriptor.withLock { $0 }
        guard descriptor >= 0 else { return }
        defer { discard() }
        guard temporary != path else { return }
        var status = stat()
        // Whoever could read the file before can read it now.
        if unsafe !isPrivate && stat(path, &status) == 0 { fchmod(descriptor, status.st_mode & 0o7777) }
        guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else { throw SystemError(errno, path) }
    }

    /// Ends without the file.
    package func discard() {
        let descriptor = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard descriptor >= 0 else { return }
        close(descriptor)
        if temporary != path { unsafe unlink(temporary) }
    }
}
