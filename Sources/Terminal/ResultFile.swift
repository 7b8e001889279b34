// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess

/// A file that comes to be whole or not at all: it is written under another name beside its place, and moved there
/// when everything is on the disk. If it is not finished, nothing of it stays.
package final class ResultFile {
    private let path: String
    private let temporary: String
    private var descriptor: Int32

    /// - Parameter replaces: Whether a file of this name may be there already.
    package init(_ path: String, replaces: Bool = true) throws(SystemError) {
        guard unsafe replaces || access(path, F_OK) != 0 else { throw SystemError(EEXIST, path) }
        // A device or a pipe is written to; nothing can stand beside it.
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            temporary = path
            self.path = path
            descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        } else {
            // A link stays, and what it leads to is replaced.
            let place = unsafe realpath(path, nil)
            defer { unsafe free(place) }
            self.path = unsafe place.map { unsafe String(cString: $0) } ?? path
            temporary = "\(self.path).\(getpid()).part"
            descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else { throw SystemError(errno, path) }
    }

    deinit { discard() }

    package func write(_ octets: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try OutputStream(descriptor: descriptor).write(octets)
        } catch {
            throw SystemError(error.code, path)
        }
    }

    /// Puts the file in its place.
    package func finish() throws(SystemError) {
        guard descriptor >= 0 else { return }
        defer { discard() }
        guard temporary != path else { return }
        var status = stat()
        // Whoever could read the file before can read it now.
        if unsafe stat(path, &status) == 0 { fchmod(descriptor, status.st_mode & 0o7777) }
        guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else { throw SystemError(errno, path) }
    }

    /// Ends without the file.
    package func discard() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        if temporary != path { unsafe unlink(temporary) }
    }
}
