// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import TestSupport
import Testing
import Token

@Suite("Work that is interrupted")
struct InterruptionTests {
    /// An application's work in one go, with an existing key.
    private static func work(_ session: borrowing KanalKit.Session) throws {
        let pair = try #require(try session.keyPairs().first)
        #expect(try session.sign(Array("message".utf8).span, with: pair).count == 64)
        #expect(try session.certificates().isEmpty)
    }

    private func prepare(_ token: KanalKit.Token) async throws {
        try await token.perform(pin: Machine.pin) { session in
            _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
        }
    }

    @Test("A token that is pulled out at any command works again when it is back", arguments: [Identity.usb, .bt])
    func pulledOut(_ identity: Identity) async throws {
        let machine = try Machine(identity) {
            $0.reconnectWindow = 0; $0.reconnectWindowWired = 0
        }
        let token = try await machine.token()
        let reader = machine.reader
        try await prepare(token)
        for number in 1...100 {
            let isStruck = Lock(false)
            reader.onResponse { count, _, response throws(LinkError) in
                guard count == number else { return response }
                isStruck.withLock { $0 = true }
                reader.removeCard()
                throw .removed(sent: true)
            }
            var error: KanalError?
            do { try await token.perform { session in try Self.work(session) } } catch let caught as KanalError {
                error = caught
            }
            reader.onResponse(nil)
            guard isStruck.withLock({ $0 }) else { return #expect(number > 3 && error == nil) }
            #expect(error == .tokenAbsent, "at command \(number)")
            reader.insertCard()
            try await token.perform { session in try Self.work(session) }
        }
        Issue.record("the work never ends")
    }

    @Test("Cancelled at any command, work is done to its end, and later work is not disturbed")
    func cancelled() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        try await prepare(token)
        for number in 1...100 {
            let isStruck = Lock(false)
            let task = HeldTask { try await token.perform { session in try Self.work(session) } }
            machine.reader.onResponse { count, _, response in
                guard count == number else { return response }
                isStruck.withLock { $0 = true }
                task.cancel()
                return response
            }
            try await task.run()
            machine.reader.onResponse(nil)
            guard isStruck.withLock({ $0 }) else { return #expect(number > 2) }
        }
        Issue.record("the work never ends")
    }

    @Test("A cancelled wait does not shorten the wait of later work")
    func laterWait() async throws {
        let machine = try Machine {
            $0.reconnectWindow = 20; $0.wirelessReaders = [WildcardPattern("*")]
        }
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in _ = try session.keyPairs() }
        machine.reader.removeCard()
        let first = HeldTask { try await token.perform { session in _ = try session.keyPairs() } }
        machine.time.after(.seconds(1)) { first.cancel() }
        await #expect(throws: KanalError.cancelled) { try await first.run() }
        machine.time.after(.seconds(5)) { [reader = machine.reader] in reader.insertCard() }
        try await token.perform { session in _ = try session.keyPairs() }
    }
}

/// A task that begins on command, so that others can hold it before.
private final class HeldTask: Sendable {
    private let mayBegin: AsyncStream<Void>.Continuation
    private let task: Task<Void, any Error>

    init(_ body: @escaping @Sendable () async throws -> Void) {
        let (gate, mayBegin) = AsyncStream.makeStream(of: Void.self)
        self.mayBegin = mayBegin
        task = Task {
            for await _ in gate { break }
            try await body()
        }
    }

    func cancel() { task.cancel() }

    func run() async throws {
        mayBegin.yield()
        try await task.value
    }
}
