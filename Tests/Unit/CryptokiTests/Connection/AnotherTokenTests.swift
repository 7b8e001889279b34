// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Secrets
import TestSupport
import Testing
import Token
import Tokens

@Suite("Another token in the place of the one that is logged in", .serialized)
struct AnotherTokenTests {
    /// An application that is logged in to a plain token with a key pair, and a token of the same kind and as new.
    private struct Scene: AbsenceScene {
        let reader: EmulatedReader
        let application: Application
        let session: CK_SESSION_HANDLE
        let key: CK_OBJECT_HANDLE
        let other: EmulatedCard
        let journal = Journal()
        let time = TestTime()

        init(_ identity: Identity = .usb, configure: (inout TokenSettings) -> Void = { _ in }) throws {
            let (journal, time) = (journal, time)
            (reader, application, session) = try TokenKeyTests.start(identity) { settings in
                settings.log = journal.logger
                settings.clocks = time.clocks
                configure(&settings)
            }
            key = try application.makeKeys(session).privateKey
            other = try EmulatedCard(
                identity, activationPasswords: identity.channel == nil ? [] : [Application.password])
        }

        /// The other token was presented no PIN, of whomever.
        func expectNoLeak(_ name: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
            let presentations = [0x20, 0x24, 0x2C].map { other.executions(of: $0) }
            #expect(presentations == [0, 0, 0], "\(name)", sourceLocation: sourceLocation)
        }

        func expectWrongToken(sourceLocation: SourceLocation = #_sourceLocation) throws {
            let presence = try self.presence
            #expect(presence == .wrongToken, sourceLocation: sourceLocation)
        }

        /// The headers of the commands after the first `count`.
        func headers(since count: Int) -> [[UInt8]] { Array(reader.headers.dropFirst(count)) }
    }

    /// Calls of an application to a token that it has a session with.
    private static let calls: [(name: String, call: @Sendable (Scene) throws -> Void)] = [
        ("C_Sign", { try $0.sign() }),
        ("C_FindObjects", { _ = try $0.application.find($0.session) }),
        ("C_GenerateKeyPair", { _ = try $0.application.makeKeys($0.session) }),
        (
            "C_SetPIN",
            { scene in
                try scene.application.library.withSession(scene.session) { session throws(CKError) in
                    try session.setPIN(old: .of("12345678"), new: .of("another PIN"))
                }
            }
        ),
        (
            "C_GenerateRandom",
            { scene in
                _ = try scene.application.library.withSession(scene.session) { session throws(CKError) in
                    try session.generateRandom(8)
                }
            }
        ),
    ]

    @Test(
        "a token that took the place unseen gets no PIN and no key's command, and ends the sessions", arguments: 0..<5)
    func unseen(_ index: Int) throws {
        let scene = try Scene()
        try scene.sign()
        scene.reader.swapCard(scene.other)
        let sent = scene.reader.headers.count
        #expect(throws: CKError.deviceRemoved) { try Self.calls[index].call(scene) }
        let headers = scene.headers(since: sent)
        #expect(headers == [[0x00, 0xCA, 0x01, 0x81]])
        scene.expectNoLeak()
        try scene.expectWrongToken()
        #expect(throws: CKError.sessionHandleInvalid) { try Self.calls[index].call(scene) }
        scene.expectNoLeak()
        let messages = scene.journal.messages
        #expect(messages.contains { $0.contains("another token") })
    }

    @Test("neither does it get a PIN that the user types now for the token that was there")
    func login() throws {
        let scene = try Scene()
        try scene.application.library.withSession(scene.session) { session throws(CKError) in try session.logOut() }
        scene.reader.swapCard(scene.other)
        #expect(throws: CKError.deviceRemoved) { try scene.application.logIn(scene.session) }
        scene.expectNoLeak()
    }

    @Test("its mechanisms are listed, and not those of the token that was there")
    func mechanisms() throws {
        let scene = try Scene()
        let before = try scene.application.library.mechanisms(of: 0)
        scene.reader.removeCard()
        scene.reader.insertCard(try EmulatedCard(.lite, activationPasswords: []))
        let other = try Application(scene.reader, store: Folder()).library.mechanisms(of: 0)
        #expect(try scene.application.library.mechanisms(of: 0) == other)
        #expect(before != other)
    }

    @Test("neither after a reset, of which the service tells")
    func reset() throws {
        let scene = try Scene()
        scene.reader.swapCard(scene.other)
        scene.reader.resetCard()
        #expect(throws: CKError.deviceRemoved) { try scene.sign() }
        scene.expectNoLeak()
    }

    @Test("neither if it comes in the middle of a call, after an answer that was lost", arguments: 1...6)
    func lostAnswer(_ lost: Int) throws {
        for call in Self.calls {
            let scene = try Scene()
            try scene.sign()
            scene.reader.onResponse {
                [reader = scene.reader, other = scene.other] number, _, response throws(LinkError) in
                guard number == lost else { return response }
                reader.swapCard(other)
                throw .transmission(code: 0x8010_002F)
            }
            _ = try? call.call(scene)
            scene.reader.onResponse(nil)
            _ = try? scene.sign()
            scene.expectNoLeak(call.name)
        }
    }

    @Test("a token that cannot say its number is none of ours")
    func silent() throws {
        let scene = try Scene()
        scene.reader.onResponse { _, instruction, response throws(LinkError) in
            instruction == 0xCA ? Response(StatusWord(0x6D00)) : response
        }
        #expect(throws: CKError.deviceRemoved) { try scene.sign() }
        try scene.expectWrongToken()
    }

    @Test("with plain_login = sticky, too, no command but the question for its number reaches it")
    func sticky() throws {
        let scene = try Scene { $0.policy.plainLogin = .sticky }
        scene.reader.swapCard(scene.other)
        let sent = scene.reader.headers.count
        #expect(throws: CKError.deviceRemoved) { try scene.sign() }
        let headers = scene.headers(since: sent)
        #expect(headers == [[0x00, 0xCA, 0x01, 0x81]])
    }

    @Test(
        "a token with a channel whose place another took gets no PIN either: paired, not paired, or plain",
        arguments: 0..<3)
    func channel(_ kind: Int) throws {
        let store = Folder()
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let application = Application(reader, store: store)
        try application.activate()
        let session = try application.open()
        try application.logIn(session)
        let key = try application.makeKeys(session).privateKey
        let other = try EmulatedReader(kind == 2 ? .usb : .bt, passwords: kind == 2 ? [] : [Application.password])
        if kind == 0 { try Application(other, store: store).activate() }
        let before = other.card.executions(of: 0x20)
        reader.swapCard(other.card)
        // The session's last command has no answer that can be trusted, and is not repeated.
        #expect(throws: CKError.deviceError) { try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        for expected in [CKError.deviceRemoved, .sessionHandleInvalid] {
            #expect(throws: expected) { try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        }
        #expect(other.card.executions(of: 0x20) == before)
        #expect(reader.plainCommands.allSatisfy { $0[1] != 0x20 })
    }

    @Test("a token that takes the place while a key pair is made in a channel ends the sessions", arguments: 1...8)
    func duringGeneration(_ lost: Int) throws {
        let scene = try Scene(.bt)
        try scene.sign()
        scene.reader.onResponse {
            [reader = scene.reader, other = scene.other] number, _, response throws(LinkError) in
            guard number == lost else { return response }
            reader.swapCard(other)
            throw .transmission(code: 0x8010_002F)
        }
        _ = try? scene.application.makeKeys(scene.session)
        scene.reader.onResponse(nil)
        let ends: [CKError] = [.deviceRemoved, .sessionHandleInvalid]
        let error = #expect(throws: CKError.self) {
            for _ in 0..<2 { try scene.sign() }
        }
        #expect(error.map(ends.contains) == true, "\(String(describing: error))")
        scene.expectNoLeak()
    }

    // MARK: Information about a token

    @Test(
        "what C_GetTokenInfo tells after a swap is all of the token that is there, with sessions and without",
        arguments: [true, false])
    func information(_ hasSession: Bool) throws {
        let reader = try EmulatedReader(.usb)
        let other = try EmulatedCard(.usb, label: "the other")
        let application = Application(reader, store: Folder())
        let pin = Array("00000000".utf8)
        _ = other.process([0x00, 0x20, 0x00, 0x02, UInt8(pin.count)] + pin)
        _ = reader.card.process([0x00, 0x20, 0x00, 0x01, UInt8(pin.count)] + pin)
        if hasSession { _ = try application.open() }
        let first = try application.library.token(in: 0, evicting: true).info
        #expect(first.serial == reader.card.serial && first.user.triesLeft == 10)
        reader.swapCard(other)
        let second = try application.library.token(in: 0, evicting: true)
        #expect(second.info.serial == other.serial)
        #expect(second.info.label == Array("the other".utf8))
        #expect(second.info.user.triesLeft == 9)
        #expect(second.info.securityOfficer.triesLeft == 10)
        #expect(second.sessionCount == 0)
    }

    @Test("a swap between two commands of C_GetTokenInfo mixes nothing", arguments: 1...12)
    func informationInterrupted(_ moment: Int) throws {
        let reader = try EmulatedReader(.usb)
        let other = try EmulatedCard(.usb, label: "the other")
        let application = Application(reader, store: Folder())
        reader.onResponse { [reader] number, _, response throws(LinkError) in
            guard number == moment else { return response }
            reader.swapCard(other)
            throw .transmission(code: 0x8010_002F)
        }
        guard let info = try? application.library.token(in: 0, evicting: true).info else { return }
        #expect((info.serial == other.serial) == (info.label == Array("the other".utf8)))
    }

    @Test("objects that are found after a swap are those of the token that is there, whatever its change counter says")
    func objects() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        var session = try application.open()
        try application.logIn(session)
        let identifier = try Attributes(template: [(CKA_ID, [1]), (CKA_LABEL, Array("one".utf8)), (CKA_TOKEN, [1])])
        _ = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: CKM_GOSTR3410_KEY_PAIR_GEN, parameter: []), publicTemplate: identifier,
                privateTemplate: identifier)
        }
        try application.library.closeSession(session)
        // As many changes, and nothing to be found.
        let other = try EmulatedCard(.usb)
        func counter(_ card: EmulatedCard) -> [UInt8] { card.process([0x00, 0xCA, 0x01, 0x32, 0x04]) }
        for _ in 0..<1000 where counter(other) != counter(reader.card) {
            _ = other.process([0x00, 0x20, 0x00, 0x02, 0x08] + Array("12345678".utf8))
            _ = other.process(
                [0x00, 0x24, 0x01, 0x02, 0x0E, 0x80, 0x02, 0x00, 0x08, 0xA6, 0x08] + Array("12345678".utf8))
            _ = other.process([0x80, 0x40, 0x00, 0x00])
        }
        session = try application.open()
        #expect(try application.find(session).count == 1)
        reader.swapCard(other)
        #expect(throws: CKError.deviceRemoved) { try application.find(session) }
        session = try application.open()
        #expect(try application.find(session).isEmpty)
    }
}
