// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import Locking
import Secrets
import Testing

@Suite("Secrets that come from other machines, and searches")
struct SecretEventTests {
    /// Waits until the last event that was told is this one.
    private func expect(_ event: SecretEvent, _ told: Lock<[SecretEvent]>) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while told.withLock({ $0.last }) != event {
            try #require(ContinuousClock.now < deadline, "\(event)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test("A value that comes, changes and goes is told once each, and a file that has come in part is not")
    func events() async throws {
        let first = try SecretsMachine(), second = try SecretsMachine("second")
        let theirs = try await first.begin(), ours = try await second.join(first)
        try await theirs.add("old", "before")
        let told = Lock<[SecretEvent]>([])
        let work = Task {
            for try await event in ours.events(every: .milliseconds(20)) { told.withLock { $0.append(event) } }
        }
        // Until the sequence has begun, nothing is told.
        let deadline = ContinuousClock.now + .seconds(60)
        while told.withLock({ $0.isEmpty }) {
            try #require(ContinuousClock.now < deadline)
            try await theirs.update("\(ContinuousClock.now)", "before")
            try second.receive(from: first)
            try await Task.sleep(for: .milliseconds(50))
        }
        // The last changes of the other secret may be told later.
        let ann = SecretItem(service: "server", account: "ann", isSynchronised: true)
        let ofAnn: [SecretEvent] = [.added(ann), .changed(ann), .deleted(ann)]
        @Sendable func toldOfAnn() -> [SecretEvent] { told.withLock { $0.filter(ofAnn.contains) } }

        try await theirs.add("one", "ann")
        for name in try first.files where try !second.files.contains(name) {
            try second.put(first.content(name).prefix(100), as: name)
        }
        try await Task.sleep(for: .milliseconds(200))
        await #expect(throws: SharedSecretsError.self) { try await ours.text("ann") }
        #expect(toldOfAnn() == [])
        try second.receive(from: first)
        try await expect(.added(ann), told)
        #expect(try await ours.text("ann") == "one")
        try await theirs.update("two", "ann")
        try second.receive(from: first)
        try await expect(.changed(ann), told)
        try await theirs.delete("ann")
        try second.receive(from: first)
        try await expect(.deleted(ann), told)
        #expect(toldOfAnn() == ofAnn)
        work.cancel()
        try await work.value
    }

    @Test("A wait for a value ends with it, after its time, or with the task")
    func waiting() async throws {
        let machine = try SecretsMachine(), secrets = try await machine.begin()
        await #expect(throws: SharedSecretsError.notFound) {
            _ = try await secrets.read(
                service: "server", account: "ann", waitingFor: .milliseconds(50), every: .milliseconds(10))
        }
        let work = Task {
            try await secrets.read(service: "server", account: "ann", waitingFor: .seconds(600)).withBytes { $0.count }
        }
        work.cancel()
        await #expect(throws: SharedSecretsError.cancelled) { try await work.value }
        let other = Task {
            try await secrets.read(
                service: "server", account: "ann", waitingFor: .seconds(60), every: .milliseconds(10)
            ).withBytes { $0.count }
        }
        try await secrets.add("secret", "ann")
        #expect(try await other.value == 6)
    }

    @Test("A search takes patterns for service and account, in any case")
    func patterns() async throws {
        let secrets = try SecretsMachine().secrets(isOwn: true)
        for account in ["ann", "Anna", "bob"] { try await secrets.add("x", account) }
        func found(_ service: String?, _ account: String?) async throws -> [String] {
            try await secrets.items(service: service, account: account).map(\.account)
        }
        #expect(try await found(nil, "an*") == ["Anna", "ann"])
        #expect(try await found("SERVE?", "b??") == ["bob"])
        #expect(try await found("serve", nil) == [])
        #expect(try await found(nil, nil).count == 3)
    }
}
