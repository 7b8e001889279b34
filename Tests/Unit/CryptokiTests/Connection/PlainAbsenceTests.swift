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

@Suite("Absence and return of a token without a channel (15.3)", .serialized)
struct PlainAbsenceTests: AbsenceScene {
    let reader: EmulatedReader
    let application: Application
    let time = TestTime()
    let journal = Journal()
    let session: CK_SESSION_HANDLE
    let key: CK_OBJECT_HANDLE

    init() throws {
        let (journal, time) = (journal, time)
        (reader, application, session) = try TokenKeyTests.start(.usb) { settings in
            settings.clocks = time.clocks
            settings.log = journal.logger
            settings.policy.reconnectWindowWired = 20
        }
        key = try application.makeKeys(session).privateKey
    }

    @Test("a token back within the window goes on with sessions, handles and login")
    func returns() throws {
        try sign()
        leave(5)
        try sign()
        try expectReturn()
        try sign()
        #expect(try application.find(session).count == 2)
    }

    @Test("a token that was away between two calls, and is back, goes on; its number is asked before its PIN")
    func returnsUnseen() throws {
        reader.removeCard()
        time.pass(.seconds(3))
        reader.insertCard()
        let before = reader.headers.count
        try sign()
        let sent = reader.headers.dropFirst(before)
        let number = try #require(sent.firstIndex { $0 == [0x00, 0xCA, 0x01, 0x81] })
        let pin = try #require(sent.firstIndex { $0[1] == Self.verify })
        #expect(number < pin)
    }

    @Test("the smart card service may be away as well: its restart ends nothing")
    func service() throws {
        try sign()
        reader.removeCard()
        reader.onRequest { _ throws(LinkError) in throw .noService }
        time.after(.seconds(2)) { [reader] in
            reader.onRequest(nil)
            reader.insertCard()
        }
        try sign()
        #expect(try presence == .completed)
    }

    @Test("the first call after the service's restart may ask for the token's information, and gets it")
    func informationFirst() throws {
        try sign()
        reader.removeCard()
        reader.insertCard()
        #expect(try application.library.token(in: 0, evicting: false).sessionCount == 1)
        try expectReturn()
        try sign()
    }

    @Test("an operation that was begun before goes on after the return, and a digest with it")
    func operations() throws {
        let message = Array("message".utf8)
        try application.library.withSession(session) { session throws(CKError) in
            try session.signInit(Mechanism(type: CKM_GOSTR3410_WITH_GOSTR3411, parameter: []), key: key)
            try session.signUpdate(message.span)
        }
        leave(5)
        let signature = try application.library.withSession(session) { session throws(CKError) in
            try session.signFinal()
        }
        let publicKey = try #require(try application.find(session, [(CKA_CLASS, CKO_PUBLIC_KEY.bytes)]).first)
        try application.verify(session, publicKey, message, signature, CKM_GOSTR3410_WITH_GOSTR3411)
    }

    @Test("a search that the removal cuts short goes on after the return")
    func idempotentCall() throws { try expectSearchesGoOn() }

    @Test("a signature that the removal cuts short is not repeated; the next call waits and goes on")
    func signature() throws { try expectNoSecondSignature(0x2A) }

    @Test("another token within the window gets no VERIFY, and ends the sessions")
    func anotherToken() throws {
        let other = try EmulatedCard(.usb)
        reader.removeCard()
        reader.insertCard(other)
        #expect(throws: CKError.deviceRemoved) { try sign() }
        #expect(try presence == .wrongToken)
        #expect(throws: CKError.sessionHandleInvalid) { try sign() }
        #expect(other.executions(of: Self.verify) == 0)
    }

    @Test("a token that another process has activated meanwhile gets nothing in plain any more, and the sessions end")
    func activatedMeanwhile() throws {
        let reader = try EmulatedReader(
            .changed { offer in
                offer.policy = 0
                offer.isWireless = false
            }, passwords: [Application.password])
        let store = Folder()
        let application = Application(reader, store: store) { settings in
            settings.clocks = time.clocks
            settings.policy.reconnectWindowWired = 20
            settings.policy.plainBluetooth = true
        }
        let session = try application.open()
        try application.logIn(session)
        try Application(reader, store: store).activate()
        reader.removeCard()
        time.after(.seconds(1)) { reader.insertCard() }
        let before = reader.plainCommands.count
        #expect(throws: CKError.deviceRemoved) { try application.find(session) }
        #expect(throws: CKError.sessionHandleInvalid) { try application.find(session) }
        #expect(reader.plainCommands.count == before)
        try application.logIn(application.open())
        #expect(reader.plainCommands.count == before)
    }

    @Test("a PIN that was changed elsewhere costs one try, and the login is over")
    func changedPIN() throws {
        reader.removeCard()
        let pin = Array(Application.userPIN.utf8)
        _ = reader.card.process([0x00, 0x20, 0x00, 0x02, UInt8(pin.count)] + pin)
        _ = reader.card.process([0x00, 0x24, 0x01, 0x02, 0x0E, 0x80, 0x02, 0x00, 0x08, 0xA6, 0x08] + "87654321".utf8)
        _ = reader.card.process([0x80, 0x40, 0x00, 0x00])
        reader.insertCard()
        for _ in 0..<2 { #expect(throws: CKError.self) { try sign() } }
        #expect(try state == CKS_RW_PUBLIC_SESSION)
        #expect(try application.library.token(in: 0, evicting: true).info.user.triesLeft == 9)
    }

    @Test(
        "where the PIN is not kept the session goes on after the return, and no user is logged in",
        arguments: [true, false])
    func notRetained(_ isSticky: Bool) throws {
        let time = time
        let (reader, application, session) = try TokenKeyTests.start(.usb) { settings in
            settings.clocks = time.clocks
            settings.policy.reconnectWindowWired = 20
            if isSticky { settings.policy.plainLogin = .sticky } else { settings.policy.pinRetention = .none }
        }
        let key = try application.makeKeys(session).privateKey
        reader.removeCard()
        time.after(.seconds(5)) { reader.insertCard() }
        let before = reader.count(of: Self.verify)
        #expect(throws: CKError.userNotLoggedIn) {
            try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        }
        #expect(reader.count(of: Self.verify) == before)
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        try application.logIn(session)
        #expect(try application.find(session).count == 2)
    }

    @Test("after the window the sessions have ended; so they have at once where none is configured")
    func windowOver() throws {
        leave(21)
        let before = verifications
        #expect(throws: CKError.deviceRemoved) { try sign() }
        #expect(throws: CKError.sessionHandleInvalid) { try sign() }
        #expect(verifications == before)

        let wired = Application(reader, store: Folder()) { $0.clocks = time.clocks }
        time.pass(.seconds(5))
        let session = try wired.open()
        reader.removeCard()
        reader.insertCard()
        #expect(throws: CKError.deviceRemoved) { try wired.find(session) }
    }

    @Test("suspend ends the login, as it does on a token with a channel")
    func suspend() throws {
        let before = verifications
        reader.removeCard()
        time.suspend(.seconds(5))
        reader.insertCard()
        #expect(throws: CKError.userNotLoggedIn) { try sign() }
        #expect(verifications == before)
    }

    @Test("what RSA key was set before the absence is not taken for set after it")
    func environment() throws {
        let template = try Attributes(template: [
            (CKA_TOKEN, [1]), (CKA_ID, [2]), (CKA_MODULUS_BITS, CK_ULONG(2048).bytes),
        ])
        let key = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: CKM_RSA_PKCS_KEY_PAIR_GEN, parameter: []), publicTemplate: template,
                privateTemplate: try Attributes(template: [(CKA_TOKEN, [1]), (CKA_ID, [2])]))
        }.1
        for _ in 0..<2 { _ = try application.sign(session, key, [1, 2, 3], CKM_RSA_PKCS) }
        leave(1)
        _ = try application.sign(session, key, [1, 2, 3], CKM_RSA_PKCS)
    }
}
