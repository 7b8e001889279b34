// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostProcess
package import Logging

/// The system's log, as far as messages for the administrator go there (syslog(3), `LOG_AUTHPRIV`).
///
/// The C library's functions are not used. They have one name, one connection and one lock for the whole program, keep
/// a descriptor open, and wait while the system's log is busy. Here a message that it does not take at once is lost.
package struct SystemLog: Sendable {
    /// The path of the datagram socket at which it listens.
    let path: String

    /// The greatest length of a message, in bytes; RFC 3164 has no longer ones.
    package static let limit = 1024
    private static let facility = 10 << 3

    package init(path: String = "/dev/log") { self.path = path }

    /// Sends one line of text.
    package func send(_ text: String, level: Logger.Level) {
        let severity = level >= .error ? LOG_ERR : LOG_WARNING
        let message = Array("<\(Self.facility | Int(severity))>kanal[\(getpid())]: \(text)".utf8.prefix(Self.limit))
        guard var address = Self.address(path) else { return }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = StandardDescriptors.avoid(otherwise: -1) { socket(AF_UNIX, type, 0) }
        guard number >= 0 else { return }
        defer { close(number) }
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                _ = unsafe sendto(number, message, message.count, flags, address, size)
            }
        }
    }

    private static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            guard path.utf8.count < bytes.count else { return false }
            unsafe bytes.copyBytes(from: path.utf8)
            return true
        }
        return fits ? address : nil
    }
}
