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

/// Readers of a service, by their names, with an emulated token in each.
private final class Service: ReaderService {
    private let all: [(name: String, reader: EmulatedReader, isContactless: Bool)]
    private let isOff = Lock(false)
    /// The readers whose tokens were taken out.
    private let empty = Lock<Set<String>>([])
    /// The readers that were connected to.
    let connected = Lock<Set<String>>([])

    init(_ all: [(String, EmulatedReader, Bool)]) { self.all = all }

    func switchOff() { isOff.withLock { $0 = true } }

    /// Takes the token out of a reader.
    func take(_ reader: String) { empty.withLock { _ = $0.insert(reader) } }

    fileprivate func isEmpty(_ reader: String) -> Bool { empty.withLock { $0.contains(reader) } }

    var obstacle: LinkError? { isOff.withLock { $0 } ? .noService : nil }

    func readers() throws(LinkError) -> [ReaderState] {
        if let obstacle { throw obstacle }
        var states: [ReaderState] = []
        for (name, reader, _) in all {
            for state in try reader.readers() {
                let isEmpty = isEmpty(name)
                states.append(
                    ReaderState(name: name, atr: isEmpty ? nil : state.atr, events: state.events + (isEmpty ? 1 : 0)))
            }
        }
        return states
    }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        guard obstacle == nil, !isEmpty(reader), let found = all.first(where: { $0.name == reader }) else {
            throw .noCard
        }
        connected.withLock { _ = $0.insert(reader) }
        let link = try found.reader.connect(to: EmulatedReader.name)
        return Link(link, found.isContactless) { [weak self] in self?.isEmpty(reader) ?? true }
    }

    private final class Link: CardLink {
        private let link: any CardLink
        let isContactless: Bool
        private let hasLeft: () -> Bool

        init(_ link: any CardLink, _ isContactless: Bool, hasLeft: @escaping () -> Bool) {
            (self.link, self.isContactless, self.hasLeft) = (link, isContactless, hasLeft)
        }

        var atr: [UInt8] { link.atr }
        func endTransaction() { link.endTransaction() }
        func disconnect() { link.disconnect() }

        func beginTransaction() throws(LinkError) -> Bool {
            guard !hasLeft() else { throw .removed(sent: false) }
            return try link.beginTransaction()
        }

        func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
            guard !hasLeft() else { throw .removed(sent: false) }
            return try link.transmit(command)
        }
    }
}

@Suite("Kinds of readers, and several ways to tokens in one manager")
struct ReaderSourceTests {
    private let folder = Folder()
    private let time = TestTime()

    private func manager(
        _ kinds: ReaderKinds, _ service: Service?, _ transports: [any Transport] = [],
        policy: (inout TokenPolicy) -> Void = { _ in }
    ) -> TokenManager {
        var settings = TokenSettings(
            pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(), log: Journal().logger)
        settings.clocks = time.clocks
        policy(&settings.policy)
        return TokenManager(kinds, of: service, transports: transports, settings: settings)
    }

    private func token(_ last: UInt8, _ identity: Identity = .usb) throws -> EmulatedReader {
        try EmulatedReader(
            identity, passwords: identity.channel == nil ? [] : [EmulatedReader.password], serial: [0x0E, 1, 2, last])
    }

    @Test("A kind of readers is told by name, configuration and report, and nothing is sent to tokens in others")
    func kinds() async throws {
        let service = Service([
            ("USB", try self.token(1), false), ("Desk PICC 0", try self.token(2), false),
            ("Cafe", try self.token(3), false),
            ("Plate", try self.token(4), true),
        ])
        let policy: (inout TokenPolicy) -> Void = { policy in
            policy.wirelessReaders = [WildcardPattern("Caf?")]
            policy.plainBluetooth = true
        }
        let wired = manager(.wired, service, policy: policy)
        #expect(try await wired.allTokens().map(\.information.reader) == ["USB"])
        // The report of a reader is not asked for before there is a card to work with.
        #expect(try await wired.readers().map(\.name) == ["USB", "Plate"])
        #expect(service.connected.withLock { $0 } == ["USB", "Plate"])
        let wireless = manager(.wireless, service, policy: policy)
        #expect(try await wireless.allTokens().map(\.information.reader) == ["Desk PICC 0", "Cafe", "Plate"])
        #expect(try await wireless.readers().map(\.name) == ["Desk PICC 0", "Cafe", "Plate"])
        let all = manager(.all, service, policy: policy)
        #expect(try await all.allTokens().count == 4)
    }

    @Test("Tokens of pcscd and of a transport are found and worked with; a field is opened for the latter alone")
    func both() async throws {
        let (wired, held) = (try self.token(1), try self.token(2, .bt))
        let phone = Phone([held])
        // The same name as the transport's.
        let manager = manager(.all, Service([("Telephone", wired, false)]), [phone])
        let tokens = try await manager.withField(prompt: "Hold") {
            let tokens = try await manager.allTokens()
            for token in tokens where !token.isActivated {
                try await token.activate(password: ActivationPassword(EmulatedReader.password))
            }
            return tokens
        }
        #expect(tokens.map(\.information.reader) == ["Telephone", "Telephone 2"])
        #expect(try await manager.readers().map(\.name) == ["Telephone", "Telephone 2"])
        #expect(phone.log == ["open: Hold", "close"])
        let (inReader, inField) = (try #require(tokens.first), try #require(tokens.last))
        _ = try await inReader.perform(pin: Machine.pin, prompt: "No field") { session in try session.keyPairs() }
        _ = try await inReader.details(prompt: "No field")
        #expect(phone.log == ["open: Hold", "close"])
        _ = try await inField.perform(pin: Machine.pin, prompt: "A field") { session in try session.keyPairs() }
        #expect(phone.log == ["open: Hold", "close", "open: A field", "close"])
    }

    @Test("A token that has left its reader is looked for in a field, and worked with there")
    func moved() async throws {
        let card = try self.token(1, .bt)
        let (service, phone) = (Service([("Reader", card, false)]), Phone([]))
        let manager = manager(.all, service, [phone])
        let token = try await manager.find()
        try await token.activate(password: ActivationPassword(EmulatedReader.password))
        try await token.perform(prompt: "No field") { _ in }
        #expect(phone.log == [])
        service.take("Reader")
        phone.hold([card])
        try await token.perform(prompt: "Hold") { _ in }
        #expect(phone.log == ["open: Hold", "close"] && token.information.reader == "Telephone")
    }

    @Test("While one way works, another may fail; when all do, the cause is pcscd's if it is among them")
    func failures() async throws {
        let phone = Phone([try self.token(1)])
        let service = Service([("Reader", try self.token(2), false)])
        let manager = manager(.all, service, [phone])
        phone.switchOff()
        #expect(try await manager.withField(prompt: "") { try await manager.allTokens().count } == 1)
        let other = Phone([try self.token(3)])
        let both = self.manager(.all, service, [phone, other])
        service.switchOff()
        #expect(try await both.withField(prompt: "") { try await both.allTokens().count } == 1)
        await #expect(throws: KanalError.notStarted(.noService)) { try await manager.find() }
        let alone = self.manager([], nil, [phone])
        await #expect(throws: KanalError.notStarted(.transportOff)) {
            try await alone.withField(prompt: "") { try await alone.find() }
        }
        #expect(throws: KanalError.self) { try TokenManager(readers: []) }
    }

    @Test("Of two fields, both are opened and closed, and the work ends when both have ended")
    func fields() async throws {
        let (first, second) = (Phone([]), Phone([]))
        let manager = manager([], nil, [first, second])
        await #expect(throws: KanalError.notFound) {
            try await manager.withField(prompt: "Hold") { try await manager.find() }
        }
        for phone in [first, second] {
            #expect(phone.log.first == "open: Hold" && phone.log.last == "close: failure(\"no matching token\")")
        }
    }
}
