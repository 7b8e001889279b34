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

@Suite("A card that is lost in a field")
struct FieldLossTests {
    private static let message = Array("message".utf8)
    /// The ways in which a transport reports a card that is not there, or is there no more.
    static let losses: [TransportError] = [
        .noCard, .removed(sent: false), .removed(sent: true), .unavailable, .transmission(code: 1),
    ]

    /// The ways in which a transport reports that the field has ended: by the answer to a command, and whether a look at
    /// the readers tells it too.
    static let reports: [(loss: TransportError, isTold: Bool)] =
        (losses + [.fieldClosed, .malformed, .reset, .sharingViolation]).map { ($0, true) } + [(.fieldClosed, false)]

    /// A telephone, and a token with a key.
    private struct Scene {
        let own: EmulatedReader
        let phone: Phone
        let manager: TokenManager
        let time = TestTime()
        private let folder = Folder()

        init(hasChannel: Bool) throws {
            own = try EmulatedReader(hasChannel ? .bt : .usb, passwords: hasChannel ? [EmulatedReader.password] : [])
            phone = Phone([own], isContactless: hasChannel)
            var settings = TokenSettings(
                pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(), log: Journal().logger)
            settings.clocks = time.clocks
            settings.policy.reconnectWindowWired = 20
            manager = TokenManager(transport: phone, settings: settings)
        }

        /// Finds the token in an open field, and gives it a key.
        func token() async throws -> KanalKit.Token {
            let token = try await manager.find()
            if !token.isActivated { try await token.activate(password: ActivationPassword(EmulatedReader.password)) }
            try await token.perform(pin: Machine.pin) { session in
                _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
            }
            return token
        }

        /// The same in a field of its own.
        func prepare() async throws -> KanalKit.Token {
            try await manager.withField(prompt: "") { try await token() }
        }

        /// Signs, loses the card by `loss`, signs again, and reads.
        ///
        /// - Parameter isInOneField: Whether the token is found and given its key in the same field.
        func work(isInOneField: Bool, _ loss: @escaping @Sendable () -> Void) async throws {
            let token = isInOneField ? nil : try await prepare()
            try await manager.withField(prompt: "") {
                let found: KanalKit.Token
                if let token { found = token } else { found = try await self.token() }
                try await found.perform(pin: Machine.pin) { session in
                    let pair = try #require(try session.keyPairs().first)
                    for _ in 0..<3 { #expect(try session.sign(message.span, with: pair).count == 64) }
                    loss()
                    #expect(try session.sign(message.span, with: pair).count == 64)
                    #expect(try !session.keyPairs().isEmpty)
                }
            }
        }
    }

    @Test(
        "A signature waits for a card that was lost after the last command, and goes on, however the loss is reported",
        arguments: [false, true], losses)
    func lost(hasChannel: Bool, _ loss: TransportError) async throws {
        let scene = try Scene(hasChannel: hasChannel)
        let (phone, own, time) = (scene.phone, scene.own, scene.time)
        phone.loseCards(by: loss)
        for isInOneField in [true, false] {
            try await scene.work(isInOneField: isInOneField) {
                own.card.powerOff()
                phone.hold([])
                time.after(.seconds(2)) { phone.hold([own]) }
            }
        }
    }

    @Test(
        "A signature waits until another card is let go that came after the last command, however that is reported",
        arguments: [false, true], losses)
    func exchanged(hasChannel: Bool, _ loss: TransportError) async throws {
        let scene = try Scene(hasChannel: hasChannel)
        let (phone, own) = (scene.phone, scene.own)
        let other = try EmulatedReader(hasChannel ? .bt : .usb, passwords: hasChannel ? [EmulatedReader.password] : [])
        phone.loseCards(by: loss)
        for isInOneField in [true, false] {
            try await scene.work(isInOneField: isInOneField) {
                own.card.powerOff()
                phone.hold([other, own])
            }
        }
        #expect(phone.log.count { $0.hasPrefix("restart") } == 2)
        #expect(other.count(of: 0x20) == 0 && other.count(of: 0x2A) == 0)
    }

    @Test(
        "A field that ends during a signature is its error, however the transport reports it",
        arguments: [false, true], reports)
    func ended(hasChannel: Bool, _ report: (loss: TransportError, isTold: Bool)) async throws {
        let scene = try Scene(hasChannel: hasChannel)
        let (phone, token) = (scene.phone, try await scene.prepare())
        for number in 1...6 {
            phone.loseCards(by: report.loss, tellingOfEnd: report.isTold)
            let isStruck = Lock(false)
            let inside = Lock<KanalError?>(nil)
            var error: KanalError?
            do {
                try await token.perform(pin: Machine.pin, prompt: "") { session in
                    let pair = try #require(try session.keyPairs().first)
                    phone.onCommand { count in
                        guard count == number else { return }
                        isStruck.withLock { $0 = true }
                        phone.hold([])
                        phone.cancel()
                    }
                    do throws(KanalError) { _ = try session.sign(Self.message.span, with: pair) } catch {
                        inside.withLock { $0 = error }
                        throw error
                    }
                }
            } catch let caught as KanalError {
                error = caught
            }
            let instructions = phone.instructions
            phone.onCommand(nil)
            guard isStruck.withLock({ $0 }) else { return #expect(number > 1 && error == nil) }
            // A signature is done before the rights are given back (80 40).
            let isDone = instructions.dropFirst(number - 1).first == 0x40 && instructions.count == number
            let expected: KanalError? = isDone ? nil : .fieldEnded
            #expect(inside.withLock { $0 } == expected && error == expected, "at command \(number) of \(instructions)")
            phone.recover([scene.own])
        }
    }

    /// Calls of a block that send a command.
    static let calls: [(name: String, call: @Sendable (borrowing KanalKit.Session) throws -> Void)] = [
        ("generation", { session in _ = try session.generateKeyPair(.gost256, id: [2], label: "") }),
        ("PIN", { session in try session.changePIN(from: Machine.pin, to: Machine.pin) }),
        ("local PIN", { session in try session.setLocalPIN(3, to: PIN("87654321"), presenting: Machine.pin) }),
        ("label", { session in try session.setLabel("label") }),
        ("hosts", { session in _ = try session.pairedHosts() }),
        ("random bytes", { session in _ = try session.randomBytes(8) }),
    ]

    @Test("Each call of a block has the end of its field as its error, and so have the details of a token")
    func endedCalls() async throws {
        let scene = try Scene(hasChannel: true)
        let (phone, token) = (scene.phone, try await scene.prepare())
        let end: @Sendable (Int) -> Void = { number in
            guard number == 1 else { return }
            phone.hold([])
            phone.cancel()
        }
        for (name, call) in Self.calls {
            await #expect(throws: KanalError.fieldEnded, "\(name)") {
                try await token.perform(pin: Machine.pin, prompt: "") { session in
                    _ = try session.keyPairs()
                    phone.onCommand(end)
                    try call(session)
                }
            }
            phone.onCommand(nil)
            phone.recover([scene.own])
        }
        phone.onCommand(end)
        await #expect(throws: KanalError.fieldEnded) { try await token.details(prompt: "") }
    }

    @Test(
        "Work goes on after a loss at any command that was not sent; what may have been sent twice is not",
        arguments: [false, true], [TransportError.noCard, .removed(sent: false), .removed(sent: true)])
    func everyCommand(hasChannel: Bool, _ loss: TransportError) async throws {
        let scene = try Scene(hasChannel: hasChannel)
        let (phone, own, time) = (scene.phone, scene.own, scene.time)
        let token = try await scene.prepare()
        phone.loseCards(by: loss)
        var failures = 0
        for number in 1...60 {
            let isStruck = Lock(false)
            phone.onCommand { count in
                guard count == number else { return }
                isStruck.withLock { $0 = true }
                own.card.powerOff()
                phone.hold([])
                time.after(.seconds(2)) { phone.hold([own]) }
            }
            var error: KanalError?
            do {
                try await token.perform(pin: Machine.pin, prompt: "") { session in
                    let pair = try #require(try session.keyPairs().first)
                    _ = try session.sign(Self.message.span, with: pair)
                }
            } catch let caught as KanalError {
                error = caught
            }
            let instructions = phone.instructions
            phone.onCommand(nil)
            phone.hold([own])
            guard isStruck.withLock({ $0 }) else {
                #expect(number > 5 && error == nil)
                #expect(failures == 0 || loss == .removed(sent: true))
                return
            }
            guard let error else { continue }
            failures += 1
            // A login whose outcome is unknown is over.
            let isKnown = error == .tokenAbsent || hasChannel && error == .pinNeeded
            #expect(loss == .removed(sent: true) && isKnown, "\(error) at command \(number) of \(instructions)")
            // No VERIFY and no signature after the command whose outcome is unknown.
            #expect(!instructions.dropFirst(number).contains { [0x20, 0x2A].contains($0) }, "at command \(number)")
        }
        Issue.record("the work never ends")
    }
}
