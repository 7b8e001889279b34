// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess

/// Frames of vpcd's protocol in both directions of a connection: a length in two bytes, big-endian, and as many bytes.
package struct FrameStream: ~Copyable {
    private static let bufferSize = 4096
    /// The size of a write for which a pipe with any room does not block, PIPE_BUF.
    private static let pieceSize = 4096
    /// The number of polls for room at the other end, and the milliseconds that each waits.
    private static let looks = 40
    private static let look: Int32 = 250

    /// The descriptors of the connection, which this type does not own.
    let input: Int32
    private let output: Int32
    /// The received part of a frame: at most one frame and the bytes after it.
    private var received: [UInt8] = []

    package init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// The next frame; nil if it is not whole within the time.
    package mutating func frame(within milliseconds: Int) throws(VirtualReaderError) -> [UInt8]? {
        if let frame = takeFrame() { return frame }
        acknowledgeAtOnce()
        var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&descriptor, 1, Int32(clamping: milliseconds))
        guard count > 0 else {
            guard count == 0 || errno == EINTR else { throw .system(errno: errno) }
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Self.bufferSize)
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(input, buffer.baseAddress, buffer.count)
        }
        if result < 0 {
            guard errno == EINTR || errno == EAGAIN else { throw .system(errno: errno) }
            return nil
        }
        guard result > 0 else { throw .closed }
        received += bytes.prefix(result)
        acknowledgeAtOnce()
        return takeFrame()
    }

    private mutating func takeFrame() -> [UInt8]? {
        guard received.count >= 2 else { return nil }
        let length = Int(received[0]) << 8 | Int(received[1])
        guard received.count >= 2 + length else { return nil }
        let frame = Array(received[2..<2 + length])
        received.removeFirst(2 + length)
        return frame
    }

    /// vpcd sends a frame in two pieces and waits for the first to be acknowledged. A delayed acknowledgement would cost
    /// 40 ms for each command, and Linux falls back to delaying after a while: the option is set for every frame.
    private borrowing func acknowledgeAtOnce() {
        var on: Int32 = 1
        unsafe setsockopt(input, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends a frame.
    ///
    /// - Parameter mayGoOn: Whether the other end is waited for, which has no room; for ten seconds at most.
    /// - Throws: `tooLong` for bytes that no frame holds, as a token can answer: with a part of their number in front, they
    ///   would be other frames to the other end.
    package borrowing func send(_ bytes: [UInt8], while mayGoOn: () -> Bool = { true }) throws(VirtualReaderError) {
        guard let count = UInt16(exactly: bytes.count) else { throw .tooLong }
        let frame = [UInt8(count >> 8), UInt8(count & 0xFF)] + bytes
        var sent = 0
        while sent < frame.count {
            try waitForRoom(mayGoOn)
            let result = WriteSignals.blocked {
                unsafe frame.withUnsafeBytes { buffer in
                    unsafe write(
                        output, buffer.baseAddress?.advanced(by: sent), min(buffer.count - sent, Self.pieceSize))
                }
            }
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw .system(errno: errno) }
            sent += result
        }
    }

    private borrowing func waitForRoom(_ mayGoOn: () -> Bool) throws(VirtualReaderError) {
        for _ in 0..<Self.looks {
            guard mayGoOn() else { throw .closed }
            var descriptor = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
            let count = unsafe poll(&descriptor, 1, Self.look)
            guard count <= 0 else { return }
            guard count == 0 || errno == EINTR else { throw .system(errno: errno) }
        }
        throw .system(errno: EAGAIN)
    }

    /// Waits until one of the descriptors can be read from.
    package static func wait(for descriptors: [Int32], milliseconds: Int32) {
        var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
    }
}
