// SPDX-License-Identifier: Apache-2.0
import Foundation
import PCSC
import Testing

@Suite("A question to the smart card service whether it would answer a call for a reader", .serialized)
struct ReaderInquiryTests {
    private static let reader = "Virtual PCD 00 00"
    private static let short = Duration.milliseconds(200)

    @Test("a service that makes the connection, and whose driver answers, is ready")
    func ready() throws {
        let service = try Service { $0 == Service.connect ? .answer(0, 7) : .answer(0) }
        let inquiry = ReaderInquiry(Self.reader, socket: service.path)
        #expect(inquiry.canConnect(within: .seconds(5)) == .ready)
        #expect(inquiry.driverAnswers(within: .seconds(5)) == .ready)
        #expect(service.requests == [Service.version, Service.establish, Service.connect, Service.attribute])
    }

    @Test("a question that is not answered stays open, and is not asked twice")
    func waiting() throws {
        let service = try Service { $0 == Service.connect ? .silence : .answer(0) }
        let inquiry = ReaderInquiry(Self.reader, socket: service.path)
        for _ in 0..<3 { #expect(inquiry.canConnect(within: Self.short) == .waiting) }
        #expect(service.requests.filter { $0 == Service.connect }.count == 1)
        service.answerLate()
        #expect(inquiry.canConnect(within: .seconds(5)) == .ready)
    }

    @Test("a driver that does not answer holds up the end of connections")
    func driver() throws {
        let service = try Service { $0 == Service.attribute ? .silence : .answer(0, 7) }
        let inquiry = ReaderInquiry(Self.reader, socket: service.path)
        #expect(inquiry.canConnect(within: .seconds(5)) == .ready)
        #expect(inquiry.driverAnswers(within: Self.short) == .waiting)
    }

    @Test("a service of another version is asked again in its own")
    func otherVersion() throws {
        let service = try Service(minor: 6) { _ in .answer(0, 7) }
        #expect(ReaderInquiry(Self.reader, socket: service.path).canConnect(within: .seconds(5)) == .ready)
        #expect(service.requests.last == Service.connect)
    }

    @Test("a service that answers nothing is silent; of one that hangs up, or is not there, nothing is known")
    func others() throws {
        let silent = try Service { _ in .silence }
        #expect(ReaderInquiry(Self.reader, socket: silent.path).canConnect(within: Self.short) == .silent)
        for last in [Service.version, Service.establish, Service.connect] {
            let service = try Service { $0 == last ? .hangUp : .answer(0, 7) }
            #expect(ReaderInquiry(Self.reader, socket: service.path).canConnect(within: .seconds(5)) == .ready)
        }
        #expect(ReaderInquiry(Self.reader, socket: "/nowhere").canConnect(within: Self.short) == .ready)
    }
}

/// A service that answers in the messages of pcsc-lite's protocol 4.
private final class Service: @unchecked Sendable {
    static let (establish, connect, attribute, version): (UInt32, UInt32, UInt32, UInt32) = (1, 4, 15, 17)

    enum Reply {
        /// A return code, and the number of a connection.
        case answer(UInt32, UInt32 = 0)
        case silence, hangUp
    }

    let path = FileManager.default.temporaryDirectory.appending(path: "s-\(UUID().uuidString.prefix(8))").path
    private let listener: Int32
    private let minor: UInt32
    private let reply: @Sendable (UInt32) -> Reply
    private let lock = NSLock()
    private var seen: [UInt32] = []
    private var late: (descriptor: Int32, answer: [UInt8])?

    init(minor: UInt32 = 4, _ reply: @escaping @Sendable (UInt32) -> Reply) throws {
        self.minor = minor
        self.reply = reply
        let path = path
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        self.listener = listener
        try #require(code == 0 && listen(listener, 5) == 0)
        let serve = self.serve
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                serve(client)
            }
            // Its number is another's from here on.
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        unsafe unlink(path)
    }

    var requests: [UInt32] { lock.withLock { seen } }

    /// The answer that was held back.
    func answerLate() {
        guard let late = lock.withLock({ late }) else { return }
        _ = unsafe send(late.descriptor, late.answer, late.answer.count, 0)
    }

    private var serve: @Sendable (Int32) -> Void {
        { [weak self] client in
            defer { close(client) }
            while let header = Self.read(8, client), let body = Self.read(Int(header[0]), client) {
                guard let self else { return }
                switch self.answer(to: header[1], body, client) {
                case .silence: continue
                case .hangUp: return
                case .answer: break
                }
            }
        }
    }

    /// Notes a request, and answers it.
    private func answer(to message: UInt32, _ request: [UInt32], _ client: Int32) -> Reply {
        let reply = reply(message)
        var answer = request
        if case .answer(let code, let number) = reply {
            answer[answer.count - 1] = code
            if message == Self.connect { answer[answer.count - 3] = number }
        }
        if message == Self.version { answer = [4, minor, request[1] == minor ? 0 : 0x8010_001E] }
        let bytes = answer.bytes
        lock.withLock {
            seen.append(message)
            if case .silence = reply { late = (client, bytes) }
        }
        if case .answer = reply { _ = unsafe send(client, bytes, bytes.count, 0) }
        return reply
    }

    private static func read(_ count: Int, _ client: Int32) -> [UInt32]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe recv(client, &bytes, count, Int32(MSG_WAITALL)) == count else { return nil }
        return bytes.words
    }
}

extension [UInt8] {
    fileprivate var words: [UInt32] { unsafe withUnsafeBytes { unsafe Array<UInt32>($0.bindMemory(to: UInt32.self)) } }
}

extension [UInt32] {
    fileprivate var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array<UInt8>($0) } }
}
