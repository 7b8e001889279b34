// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import TestSupport
import Testing
import Token

@Suite("A token that goes away")
struct ReturnTests {
    /// The states that a token enters, in order.
    private final class Record: Sendable {
        private let names = Lock<[String]>([])
        private let task: Task<Void, Never>

        init(_ token: KanalKit.Token) {
            let states = token.states
            let names = names
            task = Task {
                for await state in states {
                    let name =
                        switch state {
                        case .normal: "normal"
                        case .waitingForToken: "waiting"
                        case .wrongToken: "wrong"
                        case .completed: "completed"
                        }
                    names.withLock { $0.append(name) }
                }
            }
        }

        deinit { task.cancel() }

        /// Waits until a state has come, at most a minute.
        func wait(for name: String) async -> [String] {
            for _ in 0..<6000 {
                let seen = names.withLock { $0 }
                if seen.last == name { return seen }
                try? await Task.sleep(for: .milliseconds(10))
            }
            return names.withLock { $0 }
        }
    }

    @Test("Work goes on after a return within the window, with one PIN entry")
    func returns() async throws {
        let machine = try Machine {
            $0.reconnectWindow = 20; $0.wirelessReaders = [WildcardPattern("*")]
        }
        let token = try await machine.token()
        let record = Record(token)
        try await token.perform(pin: Machine.pin) { session in _ = try session.certificates() }
        machine.reader.removeCard()
        machine.time.after(.seconds(2)) { [reader = machine.reader] in reader.insertCard() }
        try await token.perform { session in _ = try session.keyPairs() }
        #expect(await record.wait(for: "completed") == ["normal", "waiting", "completed"])
        // One by the application, one by the library for the new channel.
        #expect(machine.verifications == 2)
    }

    @Test("After the window the token is found again, and the PIN is presented again")
    func foundAgain() async throws {
        let machine = try Machine {
            $0.reconnectWindow = 5; $0.wirelessReaders = [WildcardPattern("*")]
        }
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in _ = try session.keyPairs() }
        machine.reader.removeCard()
        await #expect(throws: KanalError.tokenAbsent) {
            try await token.perform { session in _ = try session.keyPairs() }
        }
        machine.reader.insertCard()
        try await token.perform { session in _ = try session.generateKeyPair(.gost256, id: [1], label: "") }
        #expect(machine.verifications == 2)
    }

    @Test("Work that begins after the sessions of a wired token have ended finds the token without an error")
    func wired() async throws {
        let machine = try Machine { policy in policy.reconnectWindowWired = 0 }
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in _ = try session.keyPairs() }
        machine.reader.removeCard()
        machine.time.after(.seconds(2)) { [reader = machine.reader] in reader.insertCard() }
        try await token.perform(waitingFor: .seconds(5)) { session in _ = try session.keyPairs() }
        machine.reader.removeCard()
        machine.reader.insertCard()
        try await token.perform { session in _ = try session.keyPairs() }
        #expect(machine.verifications == 3)
    }

    @Test("Without permission to keep the PIN, it is asked for again")
    func notKept() async throws {
        let machine = try Machine {
            $0.pinRetention = .none; $0.reconnectWindow = 0
        }
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in _ = try session.keyPairs() }
        machine.reader.removeCard()
        machine.reader.insertCard()
        await #expect(throws: (any Error).self) {
            try await token.perform { session in _ = try session.generateKeyPair(.gost256, id: [1], label: "") }
        }
        #expect(machine.verifications == 1)
    }

    @Test("Another token in its place gets no PIN, and is told apart")
    func wrongToken() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        let record = Record(token)
        try await token.perform(pin: Machine.pin) { session in _ = try session.keyPairs() }
        let own = machine.reader.card
        machine.reader.removeCard()
        machine.reader.insertCard(try EmulatedReader(.bt, passwords: ["2BCD-EFGH-JKLM-NPQR"]).card)
        await #expect(throws: KanalError.self) {
            try await token.perform { session in _ = try session.keyPairs() }
        }
        await #expect(throws: KanalError.wrongToken) {
            try await token.perform(waitingFor: .zero) { session in _ = try session.keyPairs() }
        }
        #expect(await record.wait(for: "wrong").last == "wrong")
        #expect(machine.verifications == 1)
        machine.reader.removeCard()
        machine.reader.insertCard(own)
        try await token.perform { session in _ = try session.keyPairs() }
        #expect(machine.verifications == 2)
    }

    @Test("Cancelling ends the wait for an absent token")
    func cancelled() async throws {
        let machine = try Machine {
            $0.reconnectWindow = 3600; $0.wirelessReaders = [WildcardPattern("*")]
        }
        let token = try await machine.token()
        machine.reader.removeCard()
        let task = Task {
            try await token.perform(waitingFor: .seconds(1_000_000_000)) { session in _ = try session.certificates() }
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: KanalError.cancelled) { try await task.value }
    }

    @Test("Work that waits behind other work can be cancelled")
    func cancelledInQueue() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        let isBegun = Lock(false)
        let mayEnd = Lock(false)
        let first = Task {
            try await token.perform { _ in
                isBegun.withLock { $0 = true }
                for _ in 0..<60_000 where !mayEnd.withLock({ $0 }) { Clocks.system.pause(.milliseconds(10)) }
            }
        }
        while !isBegun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
        let second = Task { try await token.perform { _ in Issue.record("cancelled work runs") } }
        try await Task.sleep(for: .milliseconds(50))
        second.cancel()
        await #expect(throws: KanalError.cancelled) { try await second.value }
        mayEnd.withLock { $0 = true }
        try await first.value
    }
}
