// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// One end of a connection that carries frames, as a virtual reader and a share exchange them.
struct Peer: Sendable {
    let descriptor: Int32

    func send(_ frame: [UInt8]) { #expect(pass(frame)) }

    /// As ``send(_:)``, where the other end may be gone.
    ///
    /// - Returns: Whether all of the frame was sent.
    @discardableResult
    func pass(_ frame: [UInt8]) -> Bool {
        write([UInt8(frame.count >> 8), UInt8(frame.count & 0xFF)] + frame)
    }

    /// Sends bytes that may be a part of a frame.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        unsafe Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// The next frame; nil at the end.
    func receive() -> [UInt8]? {
        guard let head = read(2) else { return nil }
        return read(Int(head[0]) << 8 | Int(head[1]))
    }

    /// Whether there is something to be read, or the end.
    var isReadable: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, 0) > 0
    }

    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else { return nil }
        return bytes
    }

    /// Two ends of one connection.
    static func pair() throws -> (Peer, Peer) {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (Peer(descriptor: ends[0]), Peer(descriptor: ends[1]))
    }

    /// A socket of this machine that waits for connections, and its port.
    static func listener() throws -> (Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        try #require(isBound)
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}
