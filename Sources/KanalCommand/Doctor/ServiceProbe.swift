// SPDX-License-Identifier: Apache-2.0

import Glibc
import Terminal
import Translation

/// Knocks at the socket of pcscd as libpcsclite does, but never waits for long: a service that hangs would hold
/// libpcsclite for good.
struct ServiceProbe: Equatable {
    enum Answer: Equatable {
        case answers
        /// There is no socket, or nobody listens.
        case absent
        /// This user may not use the socket.
        case forbidden
        /// The service closes the connection, as it does on users whom polkit does not let in.
        case hangsUp
        /// Nothing came in time.
        case silent
    }

    let path: String
    let answer: Answer
    /// The version of the protocol that the service speaks; nil if it sent none.
    let version: String?

    /// The time limit, in milliseconds. A service that the socket starts needs a moment.
    private static let patience: Int32 = 3000

    init() {
        let named = ProgramContext.current.variable("PCSCLITE_CSOCK_NAME")
        path = named ?? "/run/pcscd/pcscd.comm"
        var answer = Self.knock(path)
        // A service that systemd is just stopping hangs up once, and starts again by the next connection.
        for _ in 0..<20 where answer.0 == .hangsUp {
            usleep(50_000)
            answer = Self.knock(path)
        }
        (self.answer, version) = answer
    }

    private static func knock(_ path: String) -> (Answer, version: String?) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isWhole = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            unsafe field.copyBytes(from: path.utf8.prefix(field.count))
            return path.utf8.count < field.count
        }
        guard isWhole else { return (.absent, nil) }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return (.absent, nil) }
        defer { close(descriptor) }
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code != 0 {
            switch errno {
            case EACCES, EPERM: return (.forbidden, nil)
            // More callers wait than the queue takes.
            case EAGAIN: return (.silent, nil)
            default: return (.absent, nil)
            }
        }
        return exchange(over: descriptor)
    }

    /// Asks for the version of the service's protocol (pcsc-lite, winscard_msg.h): the length of the message, the command
    /// `CMD_VERSION`, then the caller's version, 4.4, and room for a code.
    ///
    /// A service that does not know this version says so, and knows others: libpcsclite may speak one of them.
    private static func exchange(over descriptor: Int32) -> (Answer, version: String?) {
        let question: [UInt32] = [12, 0x11, 4, 4, 0]
        let sent = unsafe question.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == 20 else { return (errno == EAGAIN ? .silent : .hangsUp, nil) }
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var ready = unsafe poll(&wait, 1, patience)
        while ready < 0, errno == EINTR { ready = unsafe poll(&wait, 1, patience) }
        guard ready > 0 else { return (.silent, nil) }
        var reply: [UInt32] = [0, 0, 0]
        let count = unsafe reply.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return (.hangsUp, nil) }
        return (.answers, count < 8 ? nil : "\(reply[0]).\(reply[1])")
    }
}
