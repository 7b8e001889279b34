// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

/// An application's readers, one card in each, that hang or fail on command.
private final class Bench: Transport, Sendable {
    private struct State {
        /// The readers whose cards do not answer at the moment.
        var hanging: Set<String> = []
        /// The readers that have a command that hangs.
        var caught: Set<String> = []
        /// The number of the request that fails, and how; counted from 1.
        var failure: (number: Int, error: TransportError)?
        var requests = 0
    }

    private let cards: [EmulatedReader]
    private let state = Lock(State())

    init(_ cards: [EmulatedReader]) { self.cards = cards }

    static func name(_ index: Int) -> String { "Bench \(index)" }

    func hang(_ index: Int, _ isHanging: Bool) {
        state.withLock { state in
            if isHanging { state.hanging.insert(Self.name(index)) } else { state.hanging.remove(Self.name(index)) }
        }
    }

    /// Whether a command waits for an answer.
    func isCaught(_ index: Int) -> Bool { state.withLock { $0.caught.contains(Self.name(index)) } }

    func fail(at number: Int?, by error: TransportError = .unavailable) {
        state.withLock { state in
            state.failure = number.map { ($0, error) }
            state.requests = 0
        }
    }

    var requests: Int { state.withLock { $0.requests } }

    /// Lets time pass while the reader hangs, and fails if its turn has come.
    fileprivate func request(_ name: String) throws(TransportError) {
        let failure: TransportError? = state.withLock { state in
            state.requests += 1
            return state.failure.flatMap { $0.number == state.requests ? $0.error : nil }
        }
        if let failure { throw failure }
        for _ in 0..<60_000 where state.withLock({ $0.hanging.contains(name) }) {
            state.withLock { _ = $0.caught.insert(name) }
            Clocks.system.pause(.milliseconds(1))
        }
        state.withLock { _ = $0.caught.remove(name) }
    }

    func readers() throws(TransportError) -> [Reader] {
        cards.indices.map { Reader(name: Self.name($0), atr: cards[$0].card.identity.atr, events: 0) }
    }

    func connect(to reader: String) throws(TransportError) -> any CardHandle {
        guard let index = cards.indices.first(where: { Self.name($0) == reader }) else { throw .noCard }
        try request(reader)
        do { return Handle(self, reader, try cards[index].connect(to: EmulatedReader.name)) } catch { throw .noCard }
    }

    private final class Handle: CardHandle {
        private let bench: Bench
        private let name: String
        private let link: any CardLink

        init(_ bench: Bench, _ name: String, _ link: any CardLink) {
            self.bench = bench
            self.name = name
            self.link = link
        }

        var atr: [UInt8] { link.atr }

        func transmit(_ command: Span<UInt8>) throws(TransportError) -> [UInt8] {
            try bench.request(name)
            do { return try link.transmit(try Command(parsing: command)).encoded } catch { throw .removed(sent: true) }
        }
    }
}

@Suite("A transport that misbehaves")
struct TransportTests {
    private let folder = Folder()

    private func bench(_ count: Int) throws -> (Bench, TokenManager) {
        let bench = Bench(try (0..<count).map { _ in try EmulatedReader(.usb) })
        var settings = TokenSettings(
            pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(), log: Journal().logger)
        settings.clocks = TestTime().clocks
        return (bench, TokenManager(transport: bench, settings: settings))
    }

    private func wait(until condition: () -> Bool) async throws {
        for _ in 0..<6000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
        #expect(condition())
    }

    @Test("A card that hangs holds up its own work only; its late answer is taken, and nothing is cut short")
    func hang() async throws {
        let (bench, manager) = try bench(4)
        let tokens = try await manager.allTokens()
        let (slow, others) = (tokens[0], tokens[1...])
        try await slow.perform { _ in }
        bench.hang(0, true)
        // More than there are threads that run tasks.
        let late = (0..<32).map { _ in
            Task { try await slow.perform(pin: Machine.pin) { session in try session.keyPairs().count } }
        }
        try await wait { bench.isCaught(0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for other in others + others + others + others {
                group.addTask { try await other.perform(pin: Machine.pin) { session in _ = try session.keyPairs() } }
            }
            try await group.waitForAll()
        }
        // A search for tokens does not wait for one in use.
        #expect(try await manager.allTokens().count == 4)
        for task in late.dropFirst(2) { task.cancel() }
        late[0].cancel()
        bench.hang(0, false)
        for task in late.prefix(2) { #expect(try await task.value == 0) }
        for task in late.dropFirst(2) { await #expect(throws: KanalError.cancelled) { try await task.value } }
    }

    @Test("A look at a card that hangs ends when the task is cancelled, and later looks find the card")
    func cancelledLook() async throws {
        let (bench, manager) = try bench(1)
        bench.hang(0, true)
        let look = Task { try await manager.find() }
        try await wait { bench.isCaught(0) }
        look.cancel()
        await #expect(throws: KanalError.cancelled) { try await look.value }
        bench.hang(0, false)
        #expect(try await manager.find().information.reader == Bench.name(0))
    }

    @Test(
        "A request that fails is an error or is repeated, and work goes on after it",
        arguments: [
            TransportError.unavailable, .removed(sent: false), .removed(sent: true), .reset, .transmission(code: 1),
        ])
    func failure(_ error: TransportError) async throws {
        let (bench, manager) = try bench(1)
        let token = try await manager.find()
        // Each third, so that the test is short.
        for number in stride(from: 1, to: 200, by: 3) {
            bench.fail(at: number, by: error)
            _ = try? await token.perform(pin: Machine.pin, waitingFor: .zero) { session in try session.keyPairs().count
            }
            let isOver = bench.requests < number
            bench.fail(at: nil)
            _ = try await token.perform(pin: Machine.pin, waitingFor: .zero) { session in try session.keyPairs().count }
            if isOver { return }
            await token.forgetPIN()
        }
        Issue.record("the work never ends")
    }

    @Test("The list of readers names each, what is in it, and how it stands with its channel")
    func readers() async throws {
        let machine = try Machine(.bt) { $0.wirelessReaders = [WildcardPattern("*")] }
        let before = try await machine.manager.readers()
        #expect(before.map(\.name) == [EmulatedReader.name] && before.map(\.nickname) == ["Virtual PCD"])
        #expect(before.map(\.media) == [nil] && before.map(\.flags) == [[.present, .wireless, .channelOffered]])
        let token = try await machine.token()
        let after = try await machine.manager.readers()
        #expect(after.map(\.media) == ["rutoken_ecp_" + token.information.serialText])
        #expect(after.map(\.flags) == [[.present, .wireless, .channelOffered, .channelActive, .pinFactory]])
        machine.reader.removeCard()
        #expect(try await machine.manager.readers().map(\.flags) == [.wireless])
        let (_, manager) = try bench(2)
        #expect(try await manager.readers().map(\.nickname) == ["Bench", "Bench 2"])
    }
}
