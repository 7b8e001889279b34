// SPDX-License-Identifier: Apache-2.0

import APDU
import Glibc
import TokenEnd

/// Why a connection to a virtual reader ended or did not come about.
package enum VirtualReaderError: Error, Sendable, Equatable {
    /// The address is not a dotted IPv4 address.
    case invalidAddress
    /// A failure of the operating system, by its `errno`, for instance that no program listens there.
    case system(errno: Int32)
    /// The other end closed the connection.
    case closed
    /// The card was taken out of the reader.
    case removed
}

extension VirtualReaderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidAddress: "not a dotted IPv4 address"
        case .system(let code): unsafe String(cString: strerror(code))
        case .closed: "the connection was closed"
        case .removed: "the card was taken out"
        }
    }
}

/// A connection to vpcd, the virtual smart card reader of vsmartcard: a reader of pcscd whose card sits at the end of a
/// TCP connection.
///
/// Both directions carry frames: a length in two bytes, big-endian, and as many bytes. A frame of one byte controls the
/// card: 00 power off, 01 power on, 02 reset, all without an answer, and 04, which asks for the answer to reset. Longer
/// frames are command APDUs, each answered by a response APDU.
package struct VirtualReader: ~Copyable {
    private let socket: Int32

    /// Connects to vpcd at a numeric IPv4 address.
    package init(host: String, port: UInt16) throws(VirtualReaderError) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw .invalidAddress }
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw .system(errno: errno) }
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
    }

    deinit { close(socket) }

    /// Whether it is an address that a reader can have.
    package static func isAddress(_ host: String) -> Bool {
        var address = in_addr()
        return unsafe inet_pton(AF_INET, host, &address) == 1
    }

    /// Waits until the reader looks at the card.
    ///
    /// vpcd takes one card, and lets others wait for its place without a word.
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

    /// Lets the reader use the card until the connection ends, which is what this throws.
    ///
    /// - Parameters:
    ///   - isPresent: Whether the card is still in the reader. When it is not, no more is answered.
    ///   - trace: Receives each command APDU and its response APDU, as transmitted, before the response is sent.
    package borrowing func serve(
        _ card: EmulatedCard, while isPresent: () -> Bool = { true },
        trace: (_ command: [UInt8], _ response: [UInt8]) -> Void = { _, _ in }
    ) throws(VirtualReaderError) -> Never {
        while true {
            let length = try receive(2, while: isPresent)
            let frame = try receive(Int(length[0]) << 8 | Int(length[1]), while: isPresent)
            switch frame {
            case []: throw .closed
            case [0x00]: card.powerOff()
            case [0x01]: card.powerOn()
            case [0x02]: card.reset()
            case [0x04]: try send(card.identity.atr)
            default:
                guard frame.count > 1 else { continue }
                let response = card.process(frame)
                trace(frame, response)
                guard isPresent() else { throw .removed }
                try send(response)
            }
        }
    }

    /// Exactly `count` bytes.
    private borrowing func receive(
        _ count: Int, while isPresent: () -> Bool
    ) throws(VirtualReaderError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            guard isPresent() else { throw .removed }
            acknowledgeAtOnce()
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe recv(socket, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, 0)
            }
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw .system(errno: errno) }
            guard result > 0 else { throw .closed }
            filled += result
        }
        return bytes
    }

    /// vpcd sends a frame in two pieces and waits for the first to be acknowledged. A delayed acknowledgement would cost
    /// 40 ms for each command, and Linux falls back to delaying after a while: this is said before every `recv`.
    private borrowing func acknowledgeAtOnce() {
        var on: Int32 = 1
        unsafe setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private borrowing func send(_ bytes: [UInt8]) throws(VirtualReaderError) {
        guard let count = UInt16(exactly: bytes.count) else { throw .system(errno: EMSGSIZE) }
        let frame = [UInt8(count >> 8), UInt8(count & 0xFF)] + bytes
        var sent = 0
        while sent < frame.count {
            let result = unsafe frame.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    socket, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw .system(errno: errno) }
            sent += result
        }
    }
}

/// Commands and responses over T=0 (ISO/IEC 7816-3, 12.2). A command carries data or expects some, never both, and P3
/// says how many.
///
/// Data that a command did not expect wait for GET RESPONSE behind 61xx. If fewer come than were expected, 6Cxx tells how
/// many, and the same command with that number gets them; it is not executed again.
struct ByteProtocol {
    private static let getResponse: [UInt8] = [0x00, 0xC0, 0x00, 0x00]

    private var pending: [UInt8] = []
    /// The status word that ends the pending data.
    private var status = StatusWord.success
    /// The command that the pending data answer, without P3, if it has to be repeated for them.
    private var repeated: [UInt8]?

    /// Executes a command TPDU by the APDU that it stands for.
    mutating func process(_ tpdu: [UInt8], _ execute: ([UInt8]) -> [UInt8]) -> [UInt8] {
        let header = Array(tpdu.prefix(4))
        guard header.count == 4 else { return Response(.wrongLength).encoded }
        let p3 = tpdu.count > 4 ? Int(tpdu[4]) : 0
        let ne = p3 == 0 ? 256 : p3
        if !pending.isEmpty, tpdu.count == 5, repeated == header || repeated == nil && header == Self.getResponse {
            return deliver(ne, to: header)
        }
        pending = []
        guard tpdu.count <= 5 || tpdu.count == 5 + p3 else { return Response(.wrongLength).encoded }
        let apdu = tpdu.count > 5 ? tpdu + [0] : header + [UInt8(truncatingIfNeeded: p3)]
        guard let response = Response(parsing: execute(apdu)) else { return Response(.wrongLength).encoded }
        guard !response.data.isEmpty else { return response.encoded }
        pending = response.data
        status = response.status
        repeated = nil
        return (tpdu.count > 5 || p3 == 0) && header != Self.getResponse ? available.encoded : deliver(ne, to: header)
    }

    /// At most `count` of the pending data.
    private mutating func deliver(_ count: Int, to header: [UInt8]) -> [UInt8] {
        guard count <= pending.count || count == 256 else {
            repeated = header == Self.getResponse ? nil : header
            return Response(StatusWord(0x6C, UInt8(truncatingIfNeeded: pending.count))).encoded
        }
        let data = Array(pending.prefix(count))
        pending = Array(pending.dropFirst(count))
        repeated = nil
        return Response(pending.isEmpty ? status : available.status, data: data).encoded
    }

    private var available: Response { Response(StatusWord.bytesAvailable(pending.count)) }
}
