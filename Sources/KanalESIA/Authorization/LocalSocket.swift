// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess

/// A socket with a path, for processes of one user.
struct LocalSocket {
    let number: Int32
    private let address: sockaddr_un

    /// The time limit of an exchange, in milliseconds.
    private static let patience: Int32 = 5000

    /// - Returns: nil if the path is too long, or no descriptors are left.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isWhole = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            unsafe field.copyBytes(from: path.utf8.prefix(field.count))
            return path.utf8.count < field.count
        }
        guard isWhole else { return nil }
        self.address = address
        number = StandardDescriptors.avoid(otherwise: -1) {
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
        guard number >= 0 else { return nil }
    }

    /// Whether the other end of a connection is a process of this user.
    static func isOfThisUser(_ socket: Int32) -> Bool {
        // Process, user and group, as of struct ucred (unix(7)).
        var credentials: [UInt32] = [0, 0, 0]
        var size = socklen_t(12)
        let code = unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
        return code == 0 && size == 12 && credentials[1] == geteuid()
    }

    /// Begins to listen.
    func listens() -> Bool {
        unsafe call { address, size in unsafe bind(number, address, size) } == 0 && Glibc.listen(number, 16) == 0
    }

    /// Connects.
    ///
    /// - Returns: 0, or the system's error.
    func connects() -> Int32 {
        unsafe call { address, size in unsafe connect(number, address, size) } == 0 ? 0 : errno
    }

    private func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Sends a text, and reads the line that answers it.
    func exchange(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        // An answer that a socket does not take at once is invalid.
        guard unsafe send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
        var line: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256)
        while line.count < 1024 {
            var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wait, 1, Self.patience)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = unsafe recv(number, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            line += piece.prefix(count)
            if let end = line.firstIndex(of: 0x0A) { return String(validating: line[..<end], as: UTF8.self) }
        }
        return nil
    }
}
