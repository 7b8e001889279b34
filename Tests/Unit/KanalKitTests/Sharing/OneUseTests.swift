// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import Foundation
import KanalKit
import Locking
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

@Suite("A share that ends after one use, of a token that it carries through")
struct OneUseTests {
    /// A far reader at the other end of a connection, with the token of a share that ends after one use.
    private final class Scene: ReaderService, @unchecked Sendable {
        let token: EmulatedCard
        let time = TestTime()
        let share: TokenShare
        let events = Lock<[Share.Event]>([])
        let failure = Lock<(any Error)?>(nil)
        /// The commands of programs that were answered.
        let headers = Lock<[[UInt8]]>([])
        private let isOver = Lock(false)
        private let listener: Lock<Int32?>
        private let peer: Lock<Peer?>
        private let folder = Folder()

        init(patience: Duration? = nil) throws {
            token = try EmulatedCard(.bt, activationPasswords: [EmulatedReader.password])
            let (listener, port) = try Peer.listener()
            self.listener = Lock(listener)
            var settings = Share.Settings()
            settings.port = port
            settings.isOnce = true
            settings.patience = patience
            let events = events
            share = TokenShare(
                settings, directory: folder.path + "/shares", readers: OneReader(token), clocks: time.clocks
            ) { event in
                events.withLock { $0.append(event) }
            }
            peer = Lock(nil)
            Thread.detachNewThread { [share, isOver, failure] in
                do { try share.run() } catch { failure.withLock { $0 = error } }
                isOver.withLock { $0 = true }
            }
            try accept()
        }

        deinit {
            share.cancel()
            vanish()
        }

        /// The far reader takes the share's next connection, and asks for the card.
        func accept() throws {
            let listener = try #require(self.listener.withLock { $0 })
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            try #require(unsafe poll(&waiting, 1, 60_000) > 0, "\(failure.withLock { $0 } as Any)")
            let peer = Peer(descriptor: Foundation.accept(listener, nil, nil))
            self.peer.withLock { $0 = peer }
            control(0x01)
        }

        /// The far reader asks for the card: whether the share is there.
        @discardableResult func look() -> Bool {
            peer.withLock { peer in
                peer?.send([0x04])
                return peer?.receive() == token.identity.atr
            }
        }

        /// The far reader powers the card on or off, or resets it, which the share has done when this returns.
        func control(_ byte: UInt8) {
            peer.withLock { $0?.send([byte]) }
            look()
        }

        /// The far machine is gone: its connection and its port.
        func vanish() {
            breakLink()
            listener.withLock { listener in
                if let listener { close(listener) }
                listener = nil
            }
        }

        func breakLink() {
            peer.withLock { peer in
                if let peer { close(peer.descriptor) }
                peer = nil
            }
        }

        /// Lets time pass in which the far reader asks for its card, as it does all the time.
        func pass(seconds: Int) {
            for _ in 0..<seconds * 4 {
                time.pass(.milliseconds(250))
                look()
            }
        }

        var hasEnded: Bool { isOver.withLock { $0 } }

        /// Waits for the end, with a bound.
        func waitForEnd() async throws {
            for _ in 0..<6000 where !hasEnded { try await Task.sleep(for: .milliseconds(10)) }
            #expect(hasEnded)
        }

        /// The number of commands of the channel that programs have sent inside of it: 03 renews a session, 0F ends one.
        func count(of command: UInt8) -> Int {
            headers.withLock { $0.count { $0[0] & 0x8C == 0x8C && $0[1] == 0x86 && $0[2] == command } }
        }

        /// Waits until programs have ended more than so many sessions.
        func waitForCloses(after number: Int) async throws {
            for _ in 0..<6000 where count(of: 0x0F) <= number { try await Task.sleep(for: .milliseconds(10)) }
            #expect(count(of: 0x0F) > number)
        }

        func readers() throws(LinkError) -> [ReaderState] {
            [ReaderState(name: "far", atr: token.identity.atr, events: 1)]
        }

        func connect(to reader: String) throws(LinkError) -> any CardLink {
            FarLink(token.identity.atr) { [self] command in
                let answer = peer.withLock { peer in
                    peer?.send(command)
                    return peer?.receive()
                }
                headers.withLock { $0.append(command) }
                return answer
            }
        }
    }

    /// A program of the far machine.
    private struct Program {
        let manager: TokenManager
        let time = TestTime()

        init(_ reader: any ReaderService, _ folder: Folder) {
            var settings = TokenSettings(
                pairings: .directory(folder.path), hostLabel: "far", random: SystemRandom(), log: Journal().logger)
            settings.clocks = time.clocks
            manager = TokenManager(readers: reader, settings: settings)
        }

        func token() async throws -> KanalKit.Token {
            let token = try await manager.find()
            if !token.isActivated { try await token.activate(password: ActivationPassword(EmulatedReader.password)) }
            return token
        }

        /// Logs in and makes a key, in a program that ends after it.
        static func runs(_ reader: any ReaderService, _ folder: Folder) async throws {
            let program = Program(reader, folder)
            try await program.token().perform(pin: Machine.pin) { session in
                _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
            }
        }

        /// The number of keys that a login shows, which was presented before.
        static func keys(_ token: KanalKit.Token) async throws -> Int {
            try await token.perform { session in try session.keyPairs().count }
        }

        /// Reads what needs no login.
        static func reads(_ reader: any ReaderService, _ folder: Folder) async throws {
            let program = Program(reader, folder)
            try await program.token().perform { session in _ = try session.certificates() }
        }
    }

    private let folder = Folder()

    @Test("It ends three seconds after a program that has logged in; pairing, reading and waiting are no use")
    func ends() async throws {
        let scene = try Scene()
        scene.pass(seconds: 60)
        var before = 0
        for _ in 0..<2 {
            before = scene.count(of: 0x0F)
            try await Program.reads(scene, folder)
            try await scene.waitForCloses(after: before)
        }
        scene.pass(seconds: 60)
        #expect(!scene.hasEnded)
        before = scene.count(of: 0x0F)
        try await Program.runs(scene, folder)
        try await scene.waitForCloses(after: before)
        #expect(scene.token.executions(of: 0x20) == 1)
        scene.pass(seconds: 2)
        #expect(scene.look())
        scene.time.pass(.seconds(1))
        try await scene.waitForEnd()
        #expect(scene.events.withLock { $0.last } == .state(.completed) && scene.failure.withLock { $0 == nil })
    }

    @Test("It does not end while a session is open, nor when that gets fresh keys, nor between the uses of one job")
    func goesOn() async throws {
        let scene = try Scene()
        let program = Program(scene, folder)
        let token = try await program.token()
        try await token.perform(pin: Machine.pin) { session in
            _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
        }
        scene.pass(seconds: 60)
        // After an hour the session gets fresh keys.
        program.time.pass(.seconds(3700))
        #expect(try await Program.keys(token) == 1)
        #expect(scene.count(of: 0x03) == 1)
        scene.pass(seconds: 60)
        // Another program resets the card.
        scene.control(0x02)
        scene.pass(seconds: 15)
        #expect(try await Program.keys(token) == 1)
        // The link breaks.
        scene.breakLink()
        try scene.accept()
        scene.pass(seconds: 15)
        #expect(try await Program.keys(token) == 1)
        scene.pass(seconds: 60)
        #expect(!scene.hasEnded)
        // No program is left: the far reader takes the power from the card.
        scene.control(0x00)
        scene.pass(seconds: 2)
        #expect(scene.look())
        scene.time.pass(.seconds(1))
        try await scene.waitForEnd()
        withExtendedLifetime((program, token)) {}
        #expect(scene.events.withLock { $0.last } == .state(.completed))
    }

    @Test("A far machine that has used the token and vanishes ends the share after a while; one that has not, does not")
    func vanishes() async throws {
        let used = try Scene(patience: .seconds(600))
        let program = Program(used, folder)
        try await program.token().perform(pin: Machine.pin) { session in _ = try session.keyPairs() }
        let before = used.time.clocks.awake.now
        used.vanish()
        try await used.waitForEnd()
        withExtendedLifetime(program) {}
        #expect(used.events.withLock { $0.last } == .state(.completed))
        let duration = used.time.clocks.awake.now - before
        #expect(duration >= .seconds(20) && duration < .seconds(40))

        let unused = try Scene(patience: .seconds(600))
        try await Program.reads(unused, Folder())
        unused.vanish()
        try await unused.waitForEnd()
        guard case .unreachable? = unused.failure.withLock({ $0 as? ShareError }) else {
            Issue.record("\(unused.failure.withLock { $0 } as Any)")
            return
        }
    }

    /// Commands and responses of a channel, made by hand.
    private struct Conversation {
        var sessions = PassingSessions()

        mutating func send(_ header: [UInt8], _ data: [UInt8] = [], isRest: Bool = false, answer: [UInt8]) {
            let command = Command(header[0], header[1], header[2], header[3], bytes: data)
            guard let response = Response(parsing: answer) else { return }
            sessions.follow(command, isRest: isRest, response)
        }

        /// A session of a process of this host.
        mutating func open(_ process: UInt8, _ answer: [UInt8]) {
            let name: [UInt8] = [0x81, 8] + Array(repeating: 7, count: 8)
            let instance: [UInt8] = [0x83, 8] + Array(repeating: process, count: 8)
            // A challenge is never the same.
            let challenge: [UInt8] = [0x82, 2, .random(in: 0...255), 0]
            let body = name + challenge + instance
            send([0x80, 0x86, 0x03, 0x02], [0x7C, UInt8(body.count)] + body, answer: [0x7C, 0, 0x90, 0])
            send([0x80, 0x86, 0x04, 0x00], [0x7C, 0], answer: answer)
        }

        static func answer(_ status: [UInt8], data: [UInt8] = []) -> [UInt8] {
            var answer: [UInt8] = data
            answer += [0x99, 2]
            answer += status
            answer += [0x8E, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0x90, 0x00]
            return answer
        }
    }

    private static func channel(_ number: UInt8) -> [UInt8] { [0x7C, 3, 0x88, 1, number, 0x90, 0x00] }
    private static let done = Conversation.answer([0x90, 0x00])

    @Test("A login is what the token has confirmed: by VERIFY that is whole, or in a batch that hides its length")
    func logins() {
        let cut = Array(Self.done.dropFirst()), broken: [UInt8] = Self.done.dropLast(2) + [0x69, 0x88]
        let none: [([UInt8], [UInt8], [UInt8])] = [
            // A wrong PIN; a link of a chain; a response that is not protected, or cut.
            ([0x0C, 0x20, 0, 2], [0x87, 1, 1, 0x8E], Conversation.answer([0x63, 0xC9])),
            ([0x1C, 0x20, 0, 2], [0x87, 1, 1, 0x8E], Self.done),
            ([0x0C, 0x20, 0, 2], [0x87, 1, 1, 0x8E], [0x90, 0x00]),
            ([0x0C, 0x20, 0, 2], [0x87, 1, 1, 0x8E], cut),
            ([0x0C, 0x20, 0, 2], [0x87, 1, 1, 0x8E], broken),
            // Batches without padding, or refused; other commands.
            ([0x8C, 0x86, 0x20, 0], [0x87, 2, 2, 0], Self.done),
            ([0x8C, 0x86, 0x21, 0], [0x87, 2, 1, 0], Conversation.answer([0x6A, 0x80])),
            ([0x0C, 0xB0, 0, 0], [0x8E], Conversation.answer([0x90, 0x00], data: [0x87, 2, 2, 5])),
            ([0x80, 0x86, 0x04, 0], [], [0x90, 0x00]),
        ]
        for (header, data, answer) in none {
            var conversation = Conversation()
            conversation.open(1, Self.channel(0))
            conversation.send(header, data, answer: answer)
            #expect(!conversation.sessions.wereOfUse, "\(header) \(answer)")
        }
        let long: [UInt8] = [0x87, 0x81, 0x80, 1] + [UInt8](repeating: 0, count: 127)
        let logins: [([UInt8], [UInt8])] = [
            ([0x0E, 0x20, 0, 1], [0x87, 1, 1]), ([0x8D, 0x86, 0x20, 0], [0x87, 2, 1, 0]),
            ([0x8F, 0x86, 0x21, 0], long),
        ]
        let (first, rest): ([UInt8], [UInt8]) = (Self.done.prefix(5) + [0x61, 0x0B], Array(Self.done.dropFirst(5)))
        for (header, data) in logins {
            var conversation = Conversation()
            conversation.open(1, Self.channel(0))
            // In two parts.
            conversation.send(header, data, answer: first)
            #expect(!conversation.sessions.wereOfUse)
            conversation.send([0, 0xC0, 0, 0], isRest: true, answer: rest)
            #expect(conversation.sessions.wereOfUse, "\(header)")
        }
    }

    @Test("Sessions are counted by their channels, and end by CLOSE, by a newer one of their process, and by the token")
    func sessions() {
        var conversation = Conversation()
        conversation.open(1, [0x63, 0x00])
        #expect(conversation.sessions.open == 0)
        // An answer to nothing that was asked.
        conversation.send([0x80, 0x86, 0x04, 0x00], answer: Self.channel(2))
        #expect(conversation.sessions.open == 1)
        conversation.sessions.end()
        conversation.send([0x80, 0x86, 0x04, 0x00], answer: Self.channel(2))
        #expect(conversation.sessions.open == 0)
        conversation.open(1, Self.channel(0))
        conversation.open(2, Self.channel(1))
        #expect(conversation.sessions.open == 2)
        // The same process again, in another channel; then another process in the place of one.
        conversation.open(1, Self.channel(3))
        #expect(conversation.sessions.open == 2)
        conversation.open(4, Self.channel(3))
        #expect(conversation.sessions.open == 2)
        // Renewal, a close of no session, one that is refused, and one.
        conversation.send([0x8D, 0x86, 0x03, 2], answer: Self.done)
        conversation.send([0x8D, 0x86, 0x04, 0], answer: Self.done)
        conversation.send([0x8E, 0x86, 0x0F, 0], answer: [0x69, 0x85])
        conversation.send([0x8D, 0x86, 0x0F, 0], answer: [0x69, 0x88])
        #expect(conversation.sessions.open == 2)
        conversation.send([0x8D, 0x86, 0x0F, 0], answer: Self.done)
        #expect(conversation.sessions.open == 1)
        // The token has evicted it.
        conversation.send([0x0F, 0xB0, 0, 0], answer: [0x69, 0x85])
        #expect(conversation.sessions.open == 0)
        // With one session at a time, a wrong tag ends it.
        conversation.open(1, [0x90, 0x00])
        conversation.open(2, [0x90, 0x00])
        #expect(conversation.sessions.open == 1)
        conversation.send([0x0C, 0xB0, 0, 0], answer: [0x69, 0x88])
        #expect(conversation.sessions.open == 0)
    }
}
