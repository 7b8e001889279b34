// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
import VirtualReaders

/// A command whose standard input and output are a connection to the far reader, as long as it runs. It has the standard
/// error and the terminal of this process, so that ssh can ask for a password.
final class Tunnel {
    /// This process's end of the connection, which its reader closes.
    let socket: Int32
    private let process: Int32

    /// - Parameter command: For /bin/sh, which becomes the command.
    init(_ command: String) throws(VirtualReaderError) {
        var ends: [Int32] = [-1, -1]
        process = StandardDescriptors.avoid(otherwise: -errno) {
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return -errno }
            defer { close(ends[1]) }
            return ChildProcess.start(
                ["/bin/sh", "-c", "exec " + command], descriptors: [ends[1], ends[1], 2], as: .beside)
        }
        guard process > 0 else {
            if ends[0] >= 0 { close(ends[0]) }
            throw .system(errno: -process)
        }
        socket = ends[0]
    }

    deinit { ChildProcess.end(process) }
}
