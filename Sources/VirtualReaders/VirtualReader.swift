// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess

/// A connection to vpcd, the virtual smart card reader of vsmartcard: a reader of pcscd whose card is at the end of a
/// connection by TCP, or by a command that leads to it.
///
/// A frame of one byte controls the card: 00 power off, 01 power on, 02 reset, all without an answer, and 04, which asks
/// for the answer to reset. Longer frames are command APDUs, each answered by a response APDU.
package struct VirtualReader: ~Copyable {
    /// The time limit of a connection, or of an answer on its way.
    private static let patience = timeval(tv_sec: 5, tv_usec: 0)

    package let socket: Int32
    /// The command that the connection leads through; nil for TCP.
    private let tunnel: AnyObject?
    private var frames: FrameStream

    /// Connects to vpcd at a numeric IPv4 address.
    package init(host: String, port: UInt16) throws(VirtualReaderError) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw .invalidAddress }
        let socket = StandardDescriptors.avoid(otherwise: -1) {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
        guard socket >= 0 else { throw .system(errno: errno) }
        // On Linux it holds for connect(2), too.
        Self.limitSending(socket)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Glibc.connect(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(socket)
            throw .system(errno: code)
        }
        self.socket = socket
        tunnel = nil
        frames = FrameStream(input: socket, output: socket)
    }

    /// Adopts an existing connection.
    ///
    /// - Parameter tunnel: The command that makes it, which is kept as long as the connection.
    package init(_ socket: Int32, through tunnel: AnyObject) {
        self.socket = socket
        self.tunnel = tunnel
        frames = FrameStream(input: socket, output: socket)
        Self.limitSending(socket)
    }

    deinit { close(socket) }

    private static func limitSending(_ socket: Int32) {
        var patience = Self.patience
        unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Whether it is an address that a reader can have.
    package static func isAddress(_ host: String) -> Bool {
        var address = in_addr()
        return unsafe inet_pton(AF_INET, host, &address) == 1
    }

    /// Waits until the reader looks at the card.
    ///
    /// vpcd accepts one card, and lets others wait silently.
    ///
    /// - Parameter seconds: At most a day.
    /// - Returns: Whether it does so, or the connection ends, within that time.
    package borrowing func isLooking(within seconds: Int) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        var count: Int32
        repeat {
            count = unsafe poll(&descriptor, 1, Int32(clamping: seconds) &* 1000)
        } while count < 0 && errno == EINTR
        return count != 0
    }

    /// The next frame; nil if it is not whole within the time.
    package mutating func frame(within milliseconds: Int) throws(VirtualReaderError) -> [UInt8]? {
        do throws(VirtualReaderError) { return try frames.frame(within: milliseconds) } catch {
            throw error == .closed && tunnel != nil ? .ended : error
        }
    }

    package borrowing func send(
        _ bytes: [UInt8], while mayGoOn: () -> Bool = { true }
    ) throws(VirtualReaderError) {
        try frames.send(bytes, while: mayGoOn)
    }
}
