// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalKit
import Synchronization

/// The far side of a share without pcscd: it waits for the share at a port of 127.0.0.1, with vpcd's protocol.
final class FarSide: Transport {
    private struct State {
        /// The share's connection; -1 without one.
        var socket: Int32 = -1
        var atr: [UInt8] = []
        var events = 0
    }

    private let listener: Int32
    private let state = Mutex(State())

    init(port: UInt16) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(listener, 1) == 0 else { fatalError("the port cannot be listened at") }
    }

    /// Waits for the share.
    func meet() throws(TransportError) {
        try state.withLock { state throws(TransportError) in
            state.socket = accept(listener, nil, nil)
            state.events += 1
            try Self.send([0x01], state)
            state.atr = try Self.exchange([0x04], state)
        }
    }

    /// Breaks the connection, and waits for the next one.
    func breakLink() throws(TransportError) {
        state.withLock { state in
            close(state.socket)
            state.socket = -1
            state.events += 1
        }
        try meet()
    }

    /// Resets the card, as pcscd does between programs: all sessions end.
    func reset() throws(TransportError) {
        try state.withLock { state throws(TransportError) in
            try Self.send([0x02], state)
            state.events += 2
        }
    }

    func readers() -> [Reader] {
        state.withLock { [Reader(name: "far", atr: $0.socket < 0 ? nil : $0.atr, events: $0.events)] }
    }

    func connect(to reader: String) throws(TransportError) -> any CardHandle { Handle(self) }

    private final class Handle: CardHandle {
        private let far: FarSide
        let atr: [UInt8]

        init(_ far: FarSide) {
            self.far = far
            atr = far.state.withLock { $0.atr }
        }

        func transmit(_ command: Span<UInt8>) throws(TransportError) -> [UInt8] {
            let bytes = command.withUnsafeBufferPointer { Array($0) }
            return try far.state.withLock { state throws(TransportError) in try FarSide.exchange(bytes, state) }
        }
    }

    private static func exchange(_ bytes: [UInt8], _ state: State) throws(TransportError) -> [UInt8] {
        try send(bytes, state)
        let head = try receive(2, state)
        return try receive(Int(head[0]) << 8 | Int(head[1]), state)
    }

    private static func send(_ bytes: [UInt8], _ state: State) throws(TransportError) {
        let frame = [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
        guard Glibc.send(state.socket, frame, frame.count, Int32(MSG_NOSIGNAL)) == frame.count else {
            throw .removed(sent: true)
        }
    }

    private static func receive(_ count: Int, _ state: State) throws(TransportError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard recv(state.socket, &bytes, count, Int32(MSG_WAITALL)) == count else {
            throw .removed(sent: true)
        }
        return bytes
    }
}
