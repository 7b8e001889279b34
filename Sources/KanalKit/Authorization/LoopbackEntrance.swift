// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
import Translation

/// The way of answers through a browser: a listener at 127.0.0.1, whose port the system chooses (RFC 8252, 7.3).
enum LoopbackEntrance {
    /// Opens the listener.
    static func open(_ requests: WaitingRequests, title: String) throws(AuthorizationError) -> AnswerEntrance {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = StandardDescriptors.spare(otherwise: -1) { socket(AF_INET, type, 0) }
        guard number >= 0, let port = listen(at: number) else {
            let reason = Phrase(errno: errno)
            if number >= 0 { close(number) }
            throw .failed(.system("nothing can listen at 127.0.0.1: \(reason)"))
        }
        let origin = "http://127.0.0.1:\(port)"
        let callback = origin + "/authorization"
        let listener = try AnswerListener(number) { heard in
            let page = LoopbackPage.reply(to: heard, origin: origin, title: title) { url throws(AnswerRefusal) in
                try requests.take(url, callback: callback)
            }
            return page.map { ($0.octets, $0.then) }
        }
        return AnswerEntrance(callback: callback, listener: listener)
    }

    /// - Returns: The port; nil, with `errno`, if the system refuses.
    private static func listen(at number: Int32) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isDone = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(number, address, size) == 0 && Glibc.listen(number, 16) == 0
                    && getsockname(number, address, &size) == 0
            }
        }
        return isDone ? UInt16(bigEndian: address.sin_port) : nil
    }
}
