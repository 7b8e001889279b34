// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import SecureChannel
import Secrets
import Storage
import TestSupport
import Testing
import Token
import TokenEnd

@Suite("A token that is shared with another machine")
struct ShareTests {
    /// A user of the far machine, with pairings of his own.
    private struct Host {
        let manager: TokenManager
        private let folder = Folder()

        init(_ reader: SharedReader, _ label: String) {
            let settings = TokenSettings(
                pairings: .directory(folder.path), hostLabel: label, random: SystemRandom(), log: Journal().logger)
            manager = TokenManager(readers: reader, settings: settings)
        }

        func token(_ password: String) async throws -> KanalKit.Token {
            let token = try await manager.find()
            if !token.isActivated { try await token.activate(password: ActivationPassword(password)) }
            return token
        }
    }

    private static let digest = [UInt8](repeating: 7, count: 32)

    @Test("a host pairs with the share's password, logs in and signs; the token alone executes each command once")
    func works() async throws {
        let reader = try SharedReader()
        let host = Host(reader, "far")
        defer { withExtendedLifetime(host) {} }
        let token = try await host.token(reader.password)
        let count = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(.gost256, id: [1], label: "key")
            return try session.sign(digest: Self.digest.span, with: pair).count
        }
        #expect(count == 64)
        #expect(reader.token.executions(of: 0x20) == 1)
        #expect(reader.token.executions(of: 0x46) == 1)
        #expect(reader.events.withLock { $0.contains(.paired(host: "far")) && $0.contains(.opened(host: "far")) })
        #expect(reader.events.withLock { $0.contains(.loggedIn(host: "far")) })
    }

    @Test("the login of one host is none of another's, whoever comes first")
    func logins() async throws {
        let reader = try SharedReader()
        let (one, other) = (Host(reader, "one"), Host(reader, "other"))
        defer { withExtendedLifetime((one, other)) {} }
        let first = try await one.token(reader.password)
        try await first.perform(pin: Machine.pin) { session in
            _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
        }
        let second = try await other.token(reader.password)
        await #expect(throws: KanalError.pinNeeded) {
            try await second.perform { session in
                _ = try session.generateKeyPair(.gost256, id: [2], label: "stolen")
            }
        }
        for round in 0..<3 {
            for token in [first, second] {
                let keys = try await token.perform(pin: Machine.pin) { session in
                    _ = try session.randomBytes(8)
                    return try session.keyPairs().count
                }
                #expect(keys == 1, "round \(round)")
            }
        }
    }

    @Test("a PIN in clear is refused, and the token does not hear of it")
    func plain() throws {
        let reader = try SharedReader()
        let verify: [UInt8] = [0x00, 0x20, 0x00, 0x02, 8] + Array("12345678".utf8)
        #expect(reader.process(verify) == [0x69, 0x87])
        #expect(reader.token.executions(of: 0x20) == 0)
        #expect(reader.events.withLock { $0.contains(.refusedPlain([0x00, 0x20, 0x00, 0x02])) })
    }

    @Test("a share that allows reading only refuses the login inside of the channel, and says so")
    func reading() async throws {
        let reader = try SharedReader(permissions: .read)
        let host = Host(reader, "far")
        defer { withExtendedLifetime(host) {} }
        let token = try await host.token(reader.password)
        let error = await #expect(throws: KanalError.self) {
            try await token.perform(pin: Machine.pin) { session in
                _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
            }
        }
        #expect(reader.refused.contains(0x20), "\(String(describing: error)) \(reader.events.withLock { $0 })")
        #expect(reader.token.executions(of: 0x20) == 0)
    }

    @Test("a login to which the user does not agree reaches the token as little")
    func confirmation() async throws {
        let reader = try SharedReader(confirmation: .login, agrees: false)
        let host = Host(reader, "far")
        defer { withExtendedLifetime(host) {} }
        let token = try await host.token(reader.password)
        let error = await #expect(throws: KanalError.self) {
            try await token.perform(pin: Machine.pin) { session in
                _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
            }
        }
        #expect(reader.token.executions(of: 0x20) == 0)
        let events = reader.events.withLock { $0 }
        #expect(events.contains(.declined("login", host: "far")), "\(String(describing: error)) \(events)")
    }

    @Test("wrong passwords are counted in the records, whatever becomes of the share")
    func passwords() async throws {
        let folder = Folder()
        let local = try LocalToken(EmulatedLink(EmulatedCard(.usb)), reader: "local")
        let records = try ShareRecords(path: folder.path, serial: local.serial)
        #expect(try records.load() == nil)
        var state = try ChannelState(TerminatingCard.offer, random: SystemRandom())
        _ = try state.renewPassword(of: 1, TerminatingCard.offer, random: SystemRandom())
        state.slots[0]?.triesInARow = 2
        try records.save(state)
        #expect(try records.load()?.slots[0]?.triesInARow == 2)
        let another = try ShareRecords(path: folder.path, serial: [0, 0, 0, 0, 1, 2, 3, 4])
        let name = "end"
        let bytes = try #require(try records.directory.read(name, limit: 1 << 16))
        try another.directory.write(name, bytes.span)
        #expect(throws: ShareError.damagedRecords) { try another.load() }
        let changed: [UInt8] = bytes.dropLast() + [bytes.last.map { $0 ^ 1 } ?? 0]
        try records.directory.write(name, changed.span)
        #expect(throws: ShareError.damagedRecords) { try records.load() }
    }

    @Test("a storm of wrong passwords, with a share that is killed and begins again meanwhile, gets five tries in all")
    func storm() async throws {
        let reader = try SharedReader()
        let host = Host(reader, "far")
        defer { withExtendedLifetime(host) {} }
        let token = try await host.manager.find()
        for attempt in 0..<60 {
            await #expect(throws: KanalError.self) {
                try await token.activate(password: ActivationPassword("1AAA-AAAA-AAAA-AAAA"))
            }
            if attempt % 2 == 1 { try reader.restart() }
        }
        let tries = reader.events.withLock { events in
            events.compactMap { event in
                guard case .wrongPassword(_, let left) = event else { return nil as Int? }
                return left
            }
        }
        #expect(tries == [4, 3, 2, 1, 0])
        await #expect(throws: KanalError.self) {
            try await token.activate(password: ActivationPassword(reader.password))
        }
        #expect(!reader.events.withLock { $0.contains(.paired(host: "far")) })
    }

    @Test("of a hundred sessions that hosts open and leave each ends the one before, and the token has no login of it")
    func sessions() async throws {
        let reader = try SharedReader()
        let (one, other) = (Host(reader, "one"), Host(reader, "other"))
        defer { withExtendedLifetime((one, other)) {} }
        let tokens = [try await one.token(reader.password), try await other.token(reader.password)]
        for round in 0..<100 {
            try await tokens[round % 2].perform { session in _ = try session.randomBytes(8) }
            #expect(reader.open <= 1)
        }
        #expect(reader.events.withLock { $0.filter { $0 == .opened(host: "one") }.count } >= 50)
        reader.reset()
        #expect(reader.open == 0)
    }

    @Test("a token that has the channel is carried through, and gets nothing else")
    func through() throws {
        let link = EmulatedLink(try EmulatedCard(.bt))
        let local = try LocalToken(link, reader: "local")
        #expect(local.way == .through)
        let card = PassingCard(link, report: { _ in })
        let before = link.sent.count
        let digits = Array("12345678".utf8)
        let refused: [[UInt8]] = [
            [0x00, 0x20, 0x00, 0x02, 8] + digits, [0x0C, 0x20, 0x00, 0x02, 8] + digits,
            [0x0C, 0x20, 0x00, 0x02, 0x0A, 0x81, 8] + digits, [0x00, 0xA4, 0x00, 0x00], [0x00, 0xC0, 0x00, 0x00, 0x00],
            [0x80, 0x86, 0x11, 0x00, 0x03, 0x80, 0x01, 0x00, 0x00], [0x80, 0xE4, 0x47, 0xFF],
            [0x80, 0xCA, 0x47, 0x10, 0],
        ]
        for command in refused { #expect(card.answer(command) == [0x69, 0x82], "\(command)") }
        #expect(link.sent.count == before)
        #expect(card.answer([0x80, 0xCA, 0x47, 0x00, 0x00])?.first == 0xE1)
        // Protected, but of no session.
        #expect(card.answer([0x0C, 0xA4, 0x00, 0x00, 0x0A, 0x8E, 8] + digits + [0x00]) == [0x69, 0x85])
        #expect(card.answer([]) == [0x67, 0x00])
        #expect(link.sent.count == before + 2)
    }

    @Test("the token is reset when its far reader is, and when its last session has gone")
    func rights() throws {
        let link = EmulatedLink(try EmulatedCard(.bt))
        let card = PassingCard(link, report: { _ in })
        card.reset()
        #expect(link.resets == 0)
        _ = card.answer([0x80, 0xCA, 0x47, 0x00, 0x00])
        card.reset()
        #expect(link.resets == 1)
        link.isThere = false
        #expect(card.answer([0x80, 0xCA, 0x47, 0x00, 0x00]) == nil)
    }
}
