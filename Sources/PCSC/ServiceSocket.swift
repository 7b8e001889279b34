// SPDX-License-Identifier: Apache-2.0

import APDU
import CPCSC
import Glibc
import HostProcess
import Locking

/// The socket of the smart card service. libpcsclite does not distinguish the service's refusal from its absence.
enum ServiceSocket {
    static var path: String {
        unsafe getenv("PCSCLITE_CSOCK_NAME").map { unsafe String(cString: $0) } ?? "/run/pcscd/pcscd.comm"
    }

    /// The time for which a service that has started may still look for its readers and cards.
    private static let infancy = 5

    /// Whether the service has only just started, by the file of its process number, which is beside the socket.
    static var isNew: Bool {
        var status = stat(), now = timespec()
        let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard unsafe stat(directory + "/pcscd.pid", &status) == 0, unsafe clock_gettime(CLOCK_REALTIME, &now) == 0
        else { return false }
        let (age, isEarlier) = now.tv_sec.subtractingReportingOverflow(status.st_mtim.tv_sec)
        return !isEarlier && (0..<infancy).contains(age)
    }

    /// Whether a service listens there.
    static var isListening: Bool {
        let descriptor = connected(to: path)
        guard descriptor < 0 else {
            close(descriptor)
            return true
        }
        // A full queue means a service, and so does a socket that this user may not use.
        return [EAGAIN, EACCES, EPERM].contains(errno)
    }

    /// A connection to the service that never waits; −1 with the reason in `errno` without one.
    static func connected(to path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isWhole = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            unsafe field.copyBytes(from: path.utf8.prefix(field.count))
            return path.utf8.count < field.count
        }
        guard isWhole else {
            errno = ENAMETOOLONG
            return -1
        }
        let descriptor = StandardDescriptors.avoid(otherwise: -1) {
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
        guard descriptor >= 0 else { return -1 }
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code == 0 { return descriptor }
        let reason = errno
        close(descriptor)
        errno = reason
        return -1
    }
}
