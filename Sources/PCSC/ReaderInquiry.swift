// SPDX-License-Identifier: Apache-2.0

import CPCSC
import Glibc
import HostProcess
import Locking

/// A question to the smart card service over a connection of its own: whether it would answer a call for a reader.
///
/// The service does not answer SCardConnect while a program keeps a transaction, and not the call that ends the last
/// connection while the reader's driver waits for the card. libpcsclite's calls have no time limit, and nothing ends one
/// that is under way. So the service is asked the same here, before, where the answer can be waited for as long as wanted.
/// The messages are of pcsc-lite's protocol 4, in the processor's order of bytes. A service that answers in another
/// way is not asked: the call is made as it is.
@safe
package final class ReaderInquiry {
    package enum Answer {
        /// The call would be answered, or nothing is known of that.
        case ready
        /// The service answers others, but not for this reader.
        case waiting
        /// The service answers nothing.
        case silent
    }

    private enum Message: UInt32 {
        case establishContext = 0x01
        case connect = 0x04
        case attribute = 0x0F
        case version = 0x11
    }

    private static let major: UInt32 = 4
    /// The minor version that the service has accepted, or names as its own. All of them have the same messages here.
    private static let minor = Lock<UInt32>(4)
    private static let readerNameSize = 128
    private static let attributeSize = 264

    private let reader: String
    private let socket: String
    private let clocks = Clocks.system
    private var descriptor: Int32 = -1
    /// The connection to the card; nil as long as the service has not answered.
    private var card: UInt32?
    /// The bytes of the next answer so far.
    private var received: [UInt8] = []

    /// - Parameter socket: The service's; nil for libpcsclite's.
    package init(_ reader: String, socket: String? = nil) {
        self.reader = reader
        self.socket = socket ?? ServiceSocket.path
    }

    deinit { hangUp() }

    private func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        received = []
    }

    /// Whether a connection to the card in the reader would be made. A question that was not answered is not asked again:
    /// its answer is waited for once more.
    package func canConnect(within limit: Duration) -> Answer {
        let end = clocks.awake.now + limit
        if descriptor < 0 {
            guard reader.utf8.count < Self.readerNameSize else { return .ready }
            switch open(until: end) {
            case .ready: break
            case let other?: return other
            case nil: return .ready
            }
        }
        guard let answer = reply(of: 5 * 4 + 4 + Self.readerNameSize, until: end) else { return missing }
        let numbers = Self.numbers(answer.suffix(12))
        card = numbers[2] == 0 ? numbers[0] : nil
        return .ready
    }

    /// Whether the reader's driver answers, behind ``canConnect(within:)``.
    package func driverAnswers(within limit: Duration) -> Answer {
        guard let card, descriptor >= 0 else { return .ready }
        let end = clocks.awake.now + limit
        let place = UInt32(truncatingIfNeeded: USBReader.place)
        let body =
            Self.bytes(card, place) + [UInt8](repeating: 0, count: Self.attributeSize)
            + Self.bytes(UInt32(Self.attributeSize), 0)
        guard send(.attribute, body) else { return .ready }
        return reply(of: body.count, until: end) == nil ? missing : .ready
    }

    /// The outcome without an answer: the service has hung up, or goes on waiting.
    private var missing: Answer { descriptor < 0 ? .ready : .waiting }

    /// Begins the conversation, up to the request for a connection; nil if the service is not asked.
    private func open(until end: Duration) -> Answer? {
        for _ in 0..<2 {
            descriptor = ServiceSocket.connected(to: socket)
            guard descriptor >= 0 else { return nil }
            let minor = Self.minor.withLock { $0 }
            guard send(.version, Self.bytes(Self.major, minor, 0)) else { return nil }
            guard let version = reply(of: 12, until: end) else { return descriptor < 0 ? nil : silence() }
            let numbers = Self.numbers(version[...])
            guard numbers[0] == Self.major else { break }
            Self.minor.withLock { $0 = numbers[1] }
            if numbers[2] == 0 { return begin(until: end) }
            hangUp()
        }
        hangUp()
        return nil
    }

    private func begin(until end: Duration) -> Answer? {
        guard send(.establishContext, Self.bytes(UInt32(SCARD_SCOPE_SYSTEM), 0, 0)) else { return nil }
        guard let established = reply(of: 12, until: end) else { return descriptor < 0 ? nil : silence() }
        let numbers = Self.numbers(established[...])
        let name = Array(reader.utf8)
        let request =
            Self.bytes(numbers[1]) + name + [UInt8](repeating: 0, count: Self.readerNameSize - name.count)
            + Self.bytes(UInt32(SCARD_SHARE_SHARED), UInt32(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1), 0, 0, 0)
        guard numbers[2] == 0, send(.connect, request) else {
            hangUp()
            return nil
        }
        return .ready
    }

    private func silence() -> Answer {
        hangUp()
        return .silent
    }

    private func send(_ message: Message, _ body: [UInt8]) -> Bool {
        let bytes = Self.bytes(UInt32(body.count), message.rawValue) + body
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if count == bytes.count { return true }
        hangUp()
        return false
    }

    /// An answer of so many bytes; nil if it does not come in time, or the service hangs up.
    private func reply(of count: Int, until end: Duration) -> [UInt8]? {
        // A fork does not wait for this one.
        guard ForkGate.enter(.long) else { return nil }
        defer { ForkGate.leave(.long) }
        while received.count < count {
            let rest = (end - clocks.awake.now).components
            let milliseconds = max(0, rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000)
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&event, 1, Int32(clamping: milliseconds))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            var part = [UInt8](repeating: 0, count: count - received.count)
            let length = unsafe part.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if length < 0, errno == EINTR || errno == EAGAIN { continue }
            guard length > 0 else {
                hangUp()
                return nil
            }
            received += part.prefix(length)
        }
        defer { received = [] }
        return received
    }

    private static func bytes(_ numbers: UInt32...) -> [UInt8] {
        numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number.littleEndian >> (8 * $0)) } }
    }

    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { start in
            UInt32(littleEndian: bytes[start...].prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
    }
}
