// SPDX-License-Identifier: Apache-2.0

import APDU
import CPCSC
import Glibc
import HostProcess
import Locking

/// A client of the smart card service that asks it for nothing.
///
/// A service that is started on demand ends a minute after its last client has (`pcscd --auto-exit`), and its virtual
/// readers with it. A program that drives such a reader does not count as a client.
///
/// The client is a mere connection, for whose answer nothing waits: a service that starts answers nobody before it has
/// found the cards in its readers, and so waits for the program that would wait for it.
package final class ServicePresence: Sendable {
    private let connection = Lock<Int32>(-1)

    package init() {}

    deinit { connection.withLock { if $0 >= 0 { close($0) } } }

    /// Becomes a client, for as long as this object lives or the service runs. A service that can be started on demand
    /// is started. Has no effect without a service, or with one that refuses this user.
    ///
    /// - Returns: Whether there is a service.
    @discardableResult
    package func keep() -> Bool {
        connection.withLock { connection in
            if connection >= 0 {
                var byte: UInt8 = 0
                // The end of the connection can be read.
                let count = unsafe recv(connection, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
                if count > 0 || count < 0 && errno == EAGAIN { return true }
                close(connection)
            }
            connection = ServiceSocket.connected(to: ServiceSocket.path)
            return connection >= 0
        }
    }
}

/// libpcsclite, which is opened for the first context.
@safe
enum ServiceLibrary {
    private static let known = Lock<pcsc_functions?>(nil)

    /// The variables by which libpcsclite is led to another service, or to another library that takes its place. The others
    /// that it reads change what it prints and whether it waits.
    private static let redirections = ["PCSCLITE_CSOCK_NAME", "LIBPCSCLITE_DELEGATE"]

    /// Its functions, once they were opened.
    static var opened: pcsc_functions? { known.withLock { $0 } }

    /// Opens it, unless that was done.
    ///
    /// - Throws: `noLibrary` if it is missing, `noDescriptors` if it cannot be looked for. `redirected` in a process
    ///   that has more rights than its user, if the environment redirects it: libpcsclite would listen.
    static func open() throws(LinkError) -> pcsc_functions {
        if Environment.isPrivileged, redirections.contains(where: { unsafe getenv($0) != nil }) { throw .redirected }
        if let opened { return opened }
        guard ForkGate.enter(.brief) else { throw .refused }
        defer { ForkGate.leave(.brief) }
        let functions = StandardDescriptors.avoid(otherwise: nil) { () -> pcsc_functions? in
            known.withLock { known in
                if known == nil { unsafe known = pcsc_open()?.pointee }
                return known
            }
        }
        if let functions { return functions }
        throw StandardDescriptors.areUsedUp ? .noDescriptors : .noLibrary
    }
}

/// The socket of the smart card service. libpcsclite does not tell a refusal by the service from its absence.
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
