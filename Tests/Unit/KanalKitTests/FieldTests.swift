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

@Suite("Field sessions")
struct FieldTests {
    private let folder = Folder()
    private let time = TestTime()

    private func manager(_ phone: Phone) -> TokenManager {
        var settings = TokenSettings(
            pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(), log: Journal().logger)
        settings.clocks = time.clocks
        return TokenManager(transport: phone, settings: settings)
    }

    /// The token in the field, found and activated in one.
    private func activated(by manager: TokenManager) async throws -> KanalKit.Token {
        try await manager.withField(prompt: "") {
            let token = try await manager.find()
            try await token.activate(password: ActivationPassword(EmulatedReader.password))
            return token
        }
    }

    private func card() throws -> EmulatedReader {
        try EmulatedReader(.bt, passwords: [EmulatedReader.password])
    }

    @Test("A token is found, activated and worked with in one field; later work opens one with its prompt")
    func work() async throws {
        let phone = Phone([try card()])
        let manager = manager(phone)
        let token = try await manager.withField(prompt: "Hold the token") {
            let token = try await manager.find()
            try await token.activate(password: ActivationPassword(EmulatedReader.password))
            _ = try await token.perform(pin: Machine.pin, prompt: "inner") { session in try session.keyPairs() }
            return token
        }
        #expect(phone.log == ["open: Hold the token", "close"])
        _ = try await token.perform(prompt: "Once more") { session in try session.keyPairs() }
        #expect(phone.log == ["open: Hold the token", "close", "open: Once more", "close"])
    }

    @Test("A cancelled task closes the field that it has opened, and the next one opens its own")
    func cancelled() async throws {
        let phone = Phone([try card()])
        let manager = manager(phone)
        let task = Task {
            try await manager.withField(prompt: "First") {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                _ = try await manager.find()
            }
        }
        await #expect(throws: KanalError.cancelled) { try await task.value }
        #expect(phone.log == ["open: First", "close: failure(\"it was cancelled\")"])
        _ = try await manager.withField(prompt: "Second") { try await manager.find() }
        #expect(phone.log.suffix(2) == ["open: Second", "close"])
    }

    @Test("Without a token in the field, the search says so, and the field is closed with the reason")
    func nothing() async throws {
        let phone = Phone([])
        let manager = manager(phone)
        await #expect(throws: KanalError.notFound) {
            try await manager.withField(prompt: "Hold the token") { try await manager.find() }
        }
        #expect(phone.log.last == "close: failure(\"no matching token\")")
    }

    @Test("Another token in the field is let go, and the right one after it is worked with")
    func foreign() async throws {
        let own = try card()
        let phone = Phone([own])
        let manager = manager(phone)
        let token = try await activated(by: manager)
        let other = try card()
        phone.hold([other, own])
        _ = try await token.perform(pin: Machine.pin, prompt: "Again") { session in try session.keyPairs() }
        #expect(phone.log.contains { $0.hasPrefix("restart") })
        #expect(other.count(of: 0x20) == 0)
    }

    @Test("Of several tokens in the field each can be told, and the right one alone gets a PIN")
    func several() async throws {
        let (own, other) = (try card(), try card())
        let phone = Phone([other, own], atOnce: 2)
        let manager = manager(phone)
        let token = try await manager.withField(prompt: "") {
            let tokens = try await manager.allTokens()
            #expect(tokens.map(\.information.reader) == ["Telephone", "Telephone 2"])
            let token = try await manager.find(named: "Telephone 2")
            try await token.activate(password: ActivationPassword(EmulatedReader.password))
            return token
        }
        // They are held the other way round now.
        phone.hold([own, other])
        _ = try await token.perform(pin: Machine.pin, prompt: "") { session in try session.keyPairs() }
        #expect(token.information.reader == "Telephone" && other.count(of: 0x20) == 0)
    }

    @Test("A field that the user closes ends the work in it at once, with an error of its own")
    func closed() async throws {
        let own = try card()
        let phone = Phone([own])
        let manager = manager(phone)
        let token = try await activated(by: manager)
        let start = time.clocks.uptime.now
        let inside = Lock<KanalError?>(nil)
        await #expect(throws: KanalError.fieldEnded) {
            try await token.perform(pin: Machine.pin, prompt: "") { session in
                _ = try session.keyPairs()
                phone.hold([])
                phone.cancel()
                do throws(KanalError) { _ = try session.randomBytes(8) } catch {
                    inside.withLock { $0 = error }
                    throw error
                }
            }
        }
        #expect(inside.withLock { $0 } == .fieldEnded)
        #expect(time.clocks.uptime.now - start < .seconds(3))
        // It also ends the wait for a token that was not held to the telephone at all.
        phone.hold([])
        await #expect(throws: KanalError.fieldEnded) {
            try await token.perform(prompt: "") { session in try session.keyPairs() }
        }
    }

    @Test("Another card that comes in the middle of the work is let go, the listener is told, and the work goes on")
    func exchanged() async throws {
        let (own, other) = (try card(), try card())
        let phone = Phone([own])
        let manager = manager(phone)
        let token = try await activated(by: manager)
        let states = Lock<[TokenState]>([])
        let stream = token.states
        let listener = Task {
            for await state in stream { states.withLock { $0.append(state) } }
        }
        defer { listener.cancel() }
        let count = try await token.perform(pin: Machine.pin, prompt: "") { session in
            _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
            own.card.powerOff()
            phone.hold([other, own])
            _ = try session.randomBytes(8)
            return try session.keyPairs().count
        }
        #expect(count == 1)
        #expect(phone.log.contains { $0.hasPrefix("restart") })
        #expect(other.count(of: 0x20) == 0)
        for _ in 0..<200 where !states.withLock({ $0.contains(.completed) }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(states.withLock { $0.contains(.wrongToken) && $0.last == .completed })
    }

    @Test("An activation opens a field with its prompt, and waits for the token")
    func activation() async throws {
        let own = try card()
        let phone = Phone([own])
        let manager = manager(phone)
        let token = try await manager.withField(prompt: "Find") { try await manager.find() }
        phone.hold([])
        time.after(.seconds(2)) { phone.hold([own]) }
        try await token.activate(password: ActivationPassword(EmulatedReader.password), prompt: "Activate")
        #expect(token.isActivated)
        #expect(phone.log == ["open: Find", "close", "open: Activate", "close"])
    }

    @Test("A transport that is off is told as such, and pcscd is not blamed")
    func off() async throws {
        let phone = Phone([try card()])
        let manager = manager(phone)
        let token = try await activated(by: manager)
        phone.switchOff()
        await #expect(throws: KanalError.notStarted(.transportOff)) { try await manager.allTokens() }
        await #expect(throws: KanalError.notStarted(.transportOff)) { try await manager.readers() }
        await #expect(throws: KanalError.notStarted(.transportOff)) {
            try await token.perform(prompt: "") { session in try session.keyPairs() }
        }
        #expect(!KanalError.notStarted(.transportOff).description.contains("pcscd"))
    }

    @Test("The last event of a watch says why nothing can be watched any more")
    func watch() async throws {
        let phone = Phone([try card()])
        let manager = manager(phone)
        var events = manager.events().makeAsyncIterator()
        phone.switchOff()
        guard case .stopped(.notStarted(.transportOff))? = await events.next() else {
            Issue.record("the watch does not end")
            return
        }
        #expect(await events.next() == nil)
    }

    @Test("Work within work on the same token is refused in a field, too, and the field is closed")
    func nested() async throws {
        let phone = Phone([try card()])
        let manager = manager(phone)
        let token = try await activated(by: manager)
        let refusal = Lock<KanalError?>(nil)
        try await token.perform(prompt: "") { _ in
            Task {
                do { try await token.perform { _ in } } catch {
                    let error = error as? KanalError
                    refusal.withLock { $0 = error }
                }
            }
            for _ in 0..<60_000 where refusal.withLock({ $0 }) == nil { Clocks.system.pause(.milliseconds(10)) }
        }
        #expect(refusal.withLock { $0 } == .nested)
        #expect(phone.log.last == "close")
    }

    @Test("A token over the air is waited for, though its reader's name does not tell that it is one")
    func late() async throws {
        let own = try card()
        let phone = Phone([own])
        let manager = manager(phone)
        let token = try await activated(by: manager)
        #expect(token.information.isWireless)
        phone.hold([])
        time.after(.seconds(2)) { phone.hold([own]) }
        _ = try await token.perform(pin: Machine.pin, prompt: "") { session in try session.keyPairs() }
    }

    @Test("When the field's time is over, the work ends with an error, and nobody waits for the token")
    func timeOver() async throws {
        let own = try card()
        let phone = Phone([own])
        let manager = manager(phone)
        let token = try await manager.withField(prompt: "") { try await manager.find() }
        let empty = Phone([], looks: 3)
        let late = self.manager(empty)
        await #expect(throws: KanalError.notFound) { try await late.withField(prompt: "") { try await late.find() } }
        phone.hold([])
        await #expect(throws: KanalError.tokenAbsent) {
            try await token.perform(waitingFor: .seconds(20)) { session in try session.keyPairs() }
        }
    }
}
