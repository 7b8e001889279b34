// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess

/// The socket of the smart card service. libpcsclite does not tell a refusal by the service from its absence.
enum ServiceSocket {
    private static var path: String {
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
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = path
        let isWhole = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            unsafe field.copyBytes(from: path.utf8.prefix(field.count))
            return path.utf8.count < field.count
        }
        guard isWhole else { return false }
        let descriptor = StandardDescriptors.spare(otherwise: -1) {
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // A full queue means a service, and so does a socket that this user may not use.
        return code == 0 || errno == EAGAIN || errno == EACCES || errno == EPERM
    }
}
