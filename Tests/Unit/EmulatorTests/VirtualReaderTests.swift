// SPDX-License-Identifier: Apache-2.0
import Emulator
import Foundation
import Locking
import TestSupport
import Testing
import VirtualReaders

/// A vpcd for one connection: the other end of a virtual reader.
private final class ReaderServer: @unchecked Sendable {
    let port: UInt16
    private let listener: Int32
    private var connection: Int32 = -1

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
    }

    deinit {
        close(listener)
        if connection >= 0 { close(connection) }
    }

    func accept() { connection = Foundation.accept(listener, nil, nil) }

    func hangUp() {
        close(connection)
        connection = -1
    }

    /// Sends bytes one by one, as a network may. The other end can be gone.
    func send(_ hex: String) {
        for byte in [UInt8](hex: hex) {
            var byte = byte
            _ = unsafe Foundation.send(connection, &byte, 1, Int32(MSG_NOSIGNAL))
        }
    }

    /// The next frame, in hexadecimal.
    func frame() -> String {
        let head = receive(2)
        guard head.count == 2 else { return "closed" }
        return receive(Int(head[0]) << 8 | Int(head[1])).hex
    }

    private func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe recv(connection, buffer.baseAddress?.advanced(by: filled), count - filled, 0)
            }
            guard result > 0 else { return [] }
            filled += result
        }
        return bytes
    }
}

/// The outcome of a serving thread.
private final class Outcome: @unchecked Sendable {
    var error: VirtualReaderError?
    var trace: [String] = []
    let done = DispatchSemaphore(value: 0)
}

@Suite("The connection to vpcd (Card, 15)")
struct VirtualReaderTests {
    /// Serves a USB token on another thread while `body` plays vpcd; then hangs up and returns the outcome at the
    /// token's end.
    private func serve(
        while isPresent: @escaping @Sendable () -> Bool = { true }, _ body: (ReaderServer) -> Void
    ) throws -> Outcome {
        let server = try ReaderServer()
        let outcome = Outcome()
        let port = server.port
        let card = try EmulatedCard.usb()
        Thread.detachNewThread {
            do throws(VirtualReaderError) {
                var reader = try VirtualReader(host: "127.0.0.1", port: port)
                try reader.serve(card, while: isPresent) { command, response in
                    outcome.trace.append("\(command.hex) \(response.hex)")
                }
            } catch {
                outcome.error = error
            }
            outcome.done.signal()
        }
        server.accept()
        body(server)
        server.hangUp()
        outcome.done.wait()
        return outcome
    }

    @Test("A card is attached when the reader looks at it: another one in it keeps it waiting")
    func attention() throws {
        let server = try ReaderServer()
        let waiting = try VirtualReader(host: "127.0.0.1", port: server.port)
        var isLooking = [waiting.isLooking(within: 0)]
        server.accept()
        isLooking.append(waiting.isLooking(within: 0))
        server.send("000104")
        isLooking.append(waiting.isLooking(within: 10))
        #expect(isLooking == [false, false, true])
    }

    @Test("A reader's address is a numeric IPv4 address", arguments: ["localhost", "::1", "", "127.0.0", "1.2.3.4 "])
    func addresses(_ other: String) {
        #expect(VirtualReader.isAddress("127.0.0.1"))
        #expect(!VirtualReader.isAddress(other))
    }

    @Test("04 asks for the answer to reset; 00, 01, 02 and unknown controls are not answered")
    func controls() throws {
        let outcome = try serve { server in
            server.send("000104 000101 000102 000100 000107 000104")
            #expect(server.frame() == Identity.usb.atr.hex)
            #expect(server.frame() == Identity.usb.atr.hex)
        }
        #expect(outcome.error == .closed)
        #expect(outcome.trace.isEmpty)
    }

    @Test("A command APDU is answered by its response APDU, and both are traced")
    func commands() throws {
        let outcome = try serve { server in
            server.send("0005 00CA018108")
            #expect(server.frame() == "000000000e1234569000")
            server.send("000D 0020000208" + PIN.user)
            #expect(server.frame() == "9000")
            server.send("000100 000101 000D 0020000208" + PIN.user)
            #expect(server.frame() == "9000", "power off dropped the right: not 6F86")
            server.send("0002 0000")
            #expect(server.frame() == "6700")
        }
        #expect(outcome.trace.first == "00ca018108 000000000e1234569000")
        #expect(outcome.trace.count == 4)
    }

    @Test("An empty frame, or one that is cut off, ends the connection")
    func ends() throws {
        #expect(try serve { $0.send("0000") }.error == .closed)
        #expect(try serve { $0.send("000500CA") }.error == .closed)
    }

    @Test("A card that is taken out answers no more, not even the command that it has just executed")
    func removed() throws {
        let isPresent = Lock(true)
        let outcome = try serve(while: { isPresent.withLock { $0 } }) { server in
            server.send("0005 00CA018108")
            #expect(server.frame() == "000000000e1234569000")
            isPresent.withLock { $0 = false }
            server.send("0005 00CA018108")
            #expect(server.frame() == "closed")
        }
        #expect(outcome.error == nil)
    }

    @Test("Nobody listening and a name instead of an address are errors")
    func refused() throws {
        let port = try ReaderServer().port
        #expect(throws: VirtualReaderError.system(errno: ECONNREFUSED)) { try connect("127.0.0.1", port) }
        #expect(throws: VirtualReaderError.invalidAddress) { try connect("localhost", port) }
    }

    private func connect(_ host: String, _ port: UInt16) throws(VirtualReaderError) {
        _ = try VirtualReader(host: host, port: port)
    }

    @Test("A trace file belongs to its owner alone, and lines are appended")
    func traceFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        for line in ["> 00", "< 9000"] { LineWriter(path: file.path)?.write(line) }
        #expect(try String(contentsOf: file, encoding: .utf8) == "> 00\n< 9000\n")
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        if LineWriter(path: "/nonexistent/trace") != nil { Issue.record("opened") }
    }
}
