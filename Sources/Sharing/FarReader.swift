// SPDX-License-Identifier: Apache-2.0
import Glibc
import Translation

/// A connection to vpcd, the virtual reader of vsmartcard, on the far machine: by TCP, or by a command that makes it.
///
/// A frame of one byte controls the card: 00 power off, 01 power on, 02 reset, all without an answer, and 04, which asks
/// for the answer to reset. Longer frames are command APDUs, each answered by a response APDU.
struct FarReader: ~Copyable {
    /// Why a connection ended or did not come about.
    enum Failure: Error, Equatable {
        case invalidAddress
        case system(errno: Int32)
        /// The other end closed the connection.
        case closed
        /// The command that made the connection has ended.
        case ended
        /// The other end has said nothing for too long: a reader that works asks for the card several times a second.
        case silent

        var text: Phrase {
            switch self {
            case .invalidAddress: "not a dotted IPv4 address"
            case .system(EAGAIN), .system(EINPROGRESS): "no answer"
            case .system(let code): Phrase(errno: code)
            case .closed: "the reader closed the connection"
            case .ended: "the command of the tunnel has ended"
            case .silent: "the reader has fallen silent"
            }
        }
    }

    /// The time limit of a connection, or of an answer on its way.
    private static let patience = timeval(tv_sec: 5, tv_usec: 0)

    let socket: Int32
    private let tunnel: Tunnel?
    private var frames: FrameStream

    init(host: String, port: UInt16) throws(Failure) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw .invalidAddress }
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
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

    /// - Parameter command: For /bin/sh; its standard input and output are the connection.
    init(tunnel command: String) throws(Failure) {
        let tunnel = try Tunnel(command)
        socket = tunnel.socket
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
    static func isAddress(_ host: String) -> Bool {
        var address = in_addr()
        return unsafe inet_pton(AF_INET, host, &address) == 1
    }

    /// The next frame; nil if it is not whole within the time.
    mutating func frame(within milliseconds: Int) throws(Failure) -> [UInt8]? {
        do throws(Failure) { return try frames.frame(within: milliseconds) } catch {
            throw error == .closed && tunnel != nil ? .ended : error
        }
    }

    borrowing func send(_ bytes: [UInt8], while mayGoOn: () -> Bool = { true }) throws(Failure) {
        try frames.send(bytes, while: mayGoOn)
    }
}
