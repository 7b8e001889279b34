// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import GOST
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Work with a token")
struct PerformTests {
    @Test("A token that is not activated says so, and works after its activation")
    func activation() async throws {
        let machine = try Machine()
        let token = try await machine.manager.find()
        #expect(!token.isActivated)
        await #expect(throws: KanalError.notActivated) { try await token.perform { _ in } }
        await #expect(throws: KanalError.passwordIncorrect(triesLeft: 4)) {
            try await token.activate(password: ActivationPassword("1BCD-EFGH-JKLM-NPQS"))
        }
        try await token.activate(password: ActivationPassword(EmulatedReader.password))
        #expect(token.isActivated)
        let bytes = try await token.perform { session in try session.randomBytes(16) }
        #expect(bytes.count == 16)
    }

    @Test("A key pair is made, listed, signs and is removed", arguments: [Identity.usb, .bt])
    func keys(_ identity: Identity) async throws {
        let machine = try Machine(identity)
        let token = try await machine.token()
        let message = Array("message".utf8)
        let count = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(.gost256, id: [1], label: "key")
            #expect(try session.keyPairs() == [pair])
            #expect(pair.label == "key" && pair.kind == .gost256)
            #expect(try session.sign(message.span, with: pair).count == 64)
            try session.delete(pair)
            return try session.keyPairs().count
        }
        #expect(count == 0)
    }

    @Test("A PIN is presented once, also for later work")
    func onePIN() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        for _ in 1...3 { try await token.perform(pin: Machine.pin) { session in _ = try session.keyPairs() } }
        try await token.perform { session in _ = try session.generateKeyPair(.gost256, id: [1], label: "key") }
        #expect(machine.verifications == 1)
    }

    @Test("A wrong PIN is refused with the tries left, and the right one after it is taken")
    func wrongPIN() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        await #expect(throws: KanalError.pinIncorrect(triesLeft: 9)) {
            try await token.perform(pin: PIN("00000000")) { _ in }
        }
        try await token.perform(pin: Machine.pin) { _ in }
        // Another value than the accepted one is presented, and not taken for it.
        await #expect(throws: KanalError.pinIncorrect(triesLeft: 9)) {
            try await token.perform(pin: PIN("00000000")) { _ in }
        }
    }

    @Test("A locked PIN is told apart")
    func locked() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        for _ in 1...10 { try? await token.perform(pin: PIN("00000000")) { _ in } }
        await #expect(throws: KanalError.pinLocked) { try await token.perform(pin: Machine.pin) { _ in } }
    }

    @Test("The security officer unblocks a locked PIN, and no login of the officer outlives the block")
    func officer() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        for _ in 1...10 { try? await token.perform(pin: PIN("00000000")) { _ in } }
        await #expect(throws: KanalError.pinIncorrect(triesLeft: 9)) {
            try await token.perform(as: .securityOfficer, pin: PIN("00000000")) { _ in }
        }
        try await token.perform(as: .securityOfficer, pin: Machine.officerPIN) { session in
            try session.unblockUserPIN()
            let error = #expect(throws: KanalError.self) { try session.setUserPIN(PIN("another1")) }
            guard case .refused(code: "CKR_FUNCTION_REJECTED", let reason)? = error,
                reason.description.contains("policy")
            else {
                Issue.record("\(error as Any)")
                return
            }
        }
        await #expect(throws: KanalError.pinNeeded) {
            try await token.perform { session in try session.unblockUserPIN() }
        }
        try await token.perform(pin: Machine.pin) { session in
            _ = try session.generateKeyPair(.gost256, id: [1], label: "")
        }
        try await token.perform(as: .securityOfficer, pin: Machine.officerPIN) { _ in }
        // The user's PIN was retained.
        let count = try await token.perform { session in try session.keyPairs().count }
        #expect(count == 1)
    }

    @Test("Work that needs a PIN says so without one")
    func needed() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        await #expect(throws: KanalError.pinNeeded) {
            try await token.perform { session in _ = try session.generateKeyPair(.gost256, id: [1], label: "") }
        }
    }

    @Test("Work within work on the same token is an error, and not a deadlock")
    func nested() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        let refusal = Lock<KanalError?>(nil)
        try await token.perform { _ in
            Task {
                do { try await token.perform { _ in } } catch {
                    let error = error as? KanalError
                    refusal.withLock { $0 = error }
                }
            }
            // The block is left only when the inner work has been refused. Other tests may hold all threads of tasks.
            for _ in 0..<60_000 where refusal.withLock({ $0 }) == nil { Clocks.system.pause(.milliseconds(10)) }
        }
        #expect(refusal.withLock { $0 } == .nested)
    }

    @Test("What the block holds is let go before the caller goes on")
    func lettingGo() async throws {
        final class Held: Sendable {}
        let machine = try Machine(.usb)
        let token = try await machine.token()
        for _ in 0..<500 {
            var held: Held? = Held()
            weak let rest = held
            try await token.perform { [held] _ in withExtendedLifetime(held) {} }
            held = nil
            guard rest == nil else { Issue.record("the block is still there"); return }
        }
    }

    @Test("What the block gives belongs to the caller alone, who is the last to let go of it")
    func result() async throws {
        final class Value: Sendable {}
        final class Weak: Sendable {
            let isGone: @Sendable () -> Bool
            init(_ value: Value) { isGone = { [weak value] in value == nil } }
        }
        let machine = try Machine()
        let token = try await machine.token()
        func once() async throws -> Weak { Weak(try await token.perform { _ in Value() }) }
        var kept = 0
        for _ in 1...1000 where try await !once().isGone() { kept += 1 }
        #expect(kept == 0)
    }

    @Test("What the block throws reaches the caller")
    func throwing() async throws {
        struct Failure: Error {}
        let machine = try Machine()
        let token = try await machine.token()
        await #expect(throws: Failure.self) { try await token.perform { _ in throw Failure() } }
    }
}
