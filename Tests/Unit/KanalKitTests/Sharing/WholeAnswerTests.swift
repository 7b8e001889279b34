// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token
import TokenEnd

@Suite("Long answers over a share's link")
struct WholeAnswerTests {
    /// A program of the far machine, with pairings of its own.
    private struct Host {
        let token: KanalKit.Token
        private let manager: TokenManager
        private let folder = Folder()

        init(_ machine: FarMachine, password: String) async throws {
            let settings = TokenSettings(
                pairings: .directory(folder.path), hostLabel: "far", random: SystemRandom(), log: Journal().logger)
            manager = TokenManager(readers: machine, settings: settings)
            token = try await manager.find()
            try await token.activate(password: ActivationPassword(password))
        }
    }

    /// A far machine and its token with six keys, as `Benchmarks/share.sh` has them, and a program that has seen none.
    private static func sixKeys(_ identity: Identity, hasFarEnd: Bool) async throws -> (FarMachine, Host) {
        let machine = try FarMachine(identity, hasFarEnd: hasFarEnd)
        let password = identity.channel == nil ? machine.activationPassword : EmulatedReader.password
        let maker = try await Host(machine, password: password)
        try await maker.token.perform(pin: Machine.pin) { session in
            for (id, kind) in [KeyKind.gost256, .gost256, .rsa(bits: 2048)].enumerated() {
                _ = try session.generateKeyPair(kind, id: [UInt8(id)], label: "key 0\(id)")
            }
        }
        return (machine, try await Host(machine, password: password))
    }

    /// The first search of a program that is logged in: the keys that it finds, and the commands that cross the link.
    private static func search(_ machine: FarMachine, _ host: Host) async throws -> (keys: Int, trips: Int) {
        try await host.token.perform(pin: Machine.pin) { session in
            _ = try session.randomBytes(8)
            let before = machine.trips
            return (try session.keyPairs().count, machine.trips - before)
        }
    }

    @Test("the first search for six keys takes three trips over the link, and without a far end one for each piece")
    func trips() async throws {
        for (hasFarEnd, expected) in [(true, 3), (false, 8)] {
            let (machine, host) = try await Self.sixKeys(.usb, hasFarEnd: hasFarEnd)
            let (keys, trips) = try await Self.search(machine, host)
            #expect(keys == 3 && trips == expected, "\(hasFarEnd)")
        }
    }

    @Test("an answer that no frame holds ends the connection, and is not cut into other frames")
    func oversized() throws {
        let machine = try FarMachine(Identity.bt, hasFarEnd: false)
        let link = try machine.connect(to: "far")
        func answer() throws -> StatusWord {
            // Discovery, which passes.
            let command = Command(0x80, 0xCA, 0x47, 0x00, ne: 256)
            return try link.transmit(command).status
        }
        #expect(try answer() == .success)
        machine.token.oversized = 0xCA
        #expect(throws: LinkError.removed(sent: true)) { try answer() }
    }

    @Test("a token that is carried through takes as many, if it has as much room in its replies, and else more")
    func through() async throws {
        for (size, expected) in [(4096, 3...3), (ChannelOffer.shortLimit, 7...12)] {
            let identity = Identity.changed { offer in offer.maximumReply = size }
            let (machine, host) = try await Self.sixKeys(identity, hasFarEnd: true)
            let (keys, trips) = try await Self.search(machine, host)
            #expect(keys == 3 && expected.contains(trips), "\(size): \(trips)")
        }
    }

    @Test(
        "of an answer that was changed on the way nothing is used: the search goes on in a new session",
        arguments: [
            FarMachine.Fault.changed, .shortened,
        ])
    func changed(_ fault: FarMachine.Fault) async throws {
        let (machine, host) = try await Self.sixKeys(.usb, hasFarEnd: true)
        let keys = try await host.token.perform(pin: Machine.pin) { session in
            _ = try session.randomBytes(8)
            machine.spoil(fault)
            return try session.keyPairs().count
        }
        #expect(keys == 3 && machine.faults == 1)
    }

    @Test("a link that ends in an answer ends the search with an error", arguments: [FarMachine.Fault.halved, .lost])
    func ended(_ fault: FarMachine.Fault) async throws {
        let (machine, host) = try await Self.sixKeys(.usb, hasFarEnd: true)
        await #expect(throws: KanalError.self) {
            try await host.token.perform(pin: Machine.pin) { session in
                _ = try session.randomBytes(8)
                machine.spoil(fault)
                return try session.keyPairs().count
            }
        }
        #expect(machine.faults == 1)
    }

    @Test("a token that is lost between two pieces of an answer gives none")
    func lostToken() async throws {
        let (machine, host) = try await Self.sixKeys(Identity.changed { $0.maximumReply = 4096 }, hasFarEnd: true)
        await #expect(throws: KanalError.self) {
            try await host.token.perform(pin: Machine.pin) { session in
                _ = try session.randomBytes(8)
                machine.token.lost = 0xC0
                return try session.keyPairs().count
            }
        }
        #expect(!machine.token.isThere)
        #expect(machine.token.sent.last?[1] == 0xC0)
    }

    @Test("a host that has paired with a share of short replies opens its session with one of long ones")
    func renewed() async throws {
        var short = TerminatingCard.offer
        short.maximumReply = ChannelOffer.shortLimit
        let reader = try SharedReader(offer: short)
        let folder = Folder()
        for expected in [1, 2] {
            let settings = TokenSettings(
                pairings: .directory(folder.path), hostLabel: "far", random: SystemRandom(), log: Journal().logger)
            let manager = TokenManager(readers: reader, settings: settings)
            defer { withExtendedLifetime(manager) {} }
            let token = try await manager.find()
            if !token.isActivated { try await token.activate(password: ActivationPassword(reader.password)) }
            let keys = try await token.perform(pin: Machine.pin) { session in
                _ = try session.generateKeyPair(.gost256, id: [UInt8(expected)], label: "key")
                return try session.keyPairs().count
            }
            #expect(keys == expected)
            try reader.restart()
        }
    }

    // MARK: Cards that give pieces without end, or bad ones

    /// A card that answers each command with the next of these, and at last with the last one.
    private final class Script: RemoteCard {
        private let answers: [[UInt8]?]
        private(set) var commands: [[UInt8]] = []

        init(_ answers: [[UInt8]?]) { self.answers = answers }

        var isLost: Bool { false }
        func reset() {}

        func answer(_ apdu: [UInt8]) -> [UInt8]? {
            commands.append(apdu)
            return answers[min(commands.count, answers.count) - 1]
        }
    }

    private static let command: [UInt8] = [0x0D, 0xB0, 0x00, 0x00, 0x00]
    private static let fetch: [UInt8] = [0x01, 0xC0, 0x00, 0x00, 0x00]

    @Test("pieces are fetched on the command's channel, until one says that it is the last")
    func pieces() {
        let card = Script([[1, 2, 0x61, 0x02], [3, 4, 0x61, 0x00], [5, 0x62, 0x82]])
        #expect(card.wholeAnswer(Self.command) == [1, 2, 3, 4, 5, 0x62, 0x82])
        #expect(card.commands == [Self.command, Self.fetch, Self.fetch])
        let short = Script([[1, 2, 0x90, 0x00]])
        #expect(short.wholeAnswer(Self.command) == [1, 2, 0x90, 0x00])
        #expect(short.commands == [Self.command])
    }

    @Test("pieces without end, empty ones, refused ones and none at all end an answer")
    func badPieces() {
        let endless = Script([[UInt8](repeating: 7, count: 256) + [0x61, 0x00]])
        let answer = endless.wholeAnswer(Self.command)
        #expect(answer?.count == 65_282 && answer?.suffix(2) == [0x61, 0x00])
        let slow = Script([[7, 0x61, 0x00]])
        #expect(slow.wholeAnswer(Self.command)?.count == 303)
        #expect(slow.commands.count == 301)
        let cases: [([[UInt8]?], [UInt8]?)] = [
            ([[1, 0x61, 0x02], [0x61, 0x02]], [1, 0x61, 0x02]), ([[1, 0x61, 0x02], [0x69, 0x85]], [1, 0x69, 0x85]),
            ([[1, 0x61, 0x02], [9]], [1, 0x61, 0x02]), ([[1, 0x61, 0x02], nil], nil), ([nil], nil), ([[9]], [9]),
        ]
        for (answers, whole) in cases { #expect(Script(answers).wholeAnswer(Self.command) == whole) }
    }
}
