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

@Suite("Login on a token without a channel")
struct PlainLoginTests {
    /// The card's reply to another process that signs with key 1.
    private static func foreignSignature(_ reader: EmulatedReader) -> [UInt8] {
        _ = reader.card.process([0x00, 0x22, 0x41, 0xB6, 0x03, 0x84, 0x01, 0x01])
        return Array(reader.card.process([0x00, 0x2A, 0x9E, 0x9A, 0x20] + Application.digest + [0x40]).suffix(2))
    }

    /// Instructions that `call` sends, with the last parameter byte.
    private static func instructions(_ reader: EmulatedReader, _ call: () throws -> Void) rethrows -> [UInt16] {
        let before = reader.headers.count
        try call()
        return reader.headers[before...].map { UInt16($0[1]) << 8 | UInt16($0[3]) }
    }

    @Test("no other process inherits the login: each call takes the right, and gives it back at its end")
    func reset() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.makeKeys(session).privateKey
        #expect(Self.foreignSignature(reader) == [0x69, 0x82])
        let sent = try Self.instructions(reader) {
            _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        }
        #expect(sent == [0xCA81, 0x2002, 0x22B6, 0x2A9A, 0x4002])
        #expect(Self.foreignSignature(reader) == [0x69, 0x82])
        #expect(try application.find(session).count == 2)
        #expect(Self.foreignSignature(reader) == [0x69, 0x82])
    }

    @Test("a call that fails gives the right back too")
    func failure() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.makeKeys(session).privateKey
        reader.onResponse { _, instruction, response throws(LinkError) in
            instruction == 0x2A ? Response(StatusWord(0x6400)) : response
        }
        #expect(throws: CKError.self) { try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        reader.onResponse(nil)
        #expect(Self.foreignSignature(reader) == [0x69, 0x82])
    }

    @Test(
        "a login whose answer is lost leaves no right on the card, whatever plain_login is",
        arguments: PlainLogin.allCases)
    func lostLogin(_ login: PlainLogin) throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder()) { $0.policy.plainLogin = login }
        let session = try application.open()
        reader.onResponse { _, instruction, response throws(LinkError) in
            if instruction == 0x20 { throw .transmission(code: 0x8010_0016) }
            return response
        }
        #expect(throws: CKError.self) { try application.logIn(session) }
        reader.onResponse(nil)
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        // VERIFY without a PIN asks whether the right is held.
        #expect(reader.card.process([0x00, 0x20, 0x00, 0x02]).first != 0x90)
    }

    @Test("a change of the PIN whose answer is lost ends the login, and the old PIN spends no try")
    func lostChange() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.makeKeys(session).privateKey
        reader.onResponse { _, instruction, response throws(LinkError) in
            if instruction == 0x24 { throw .transmission(code: 0x8010_0016) }
            return response
        }
        let (old, new) = (Array(Application.userPIN.utf8), Array("24681357".utf8))
        #expect(throws: CKError.deviceError) {
            try application.library.setPIN(session, old: SharedSecret(copying: old), new: SharedSecret(copying: new))
        }
        reader.onResponse(nil)
        #expect(throws: CKError.self) { try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        #expect(try application.library.token(in: 0, evicting: true).info.user.triesLeft == 10)
        try application.logIn(session, "24681357")
    }

    @Test("plain_login = sticky leaves the right on the card, and so does a PIN that is not to be kept")
    func sticky() throws {
        for change: (inout TokenSettings) -> Void in [
            { $0.policy.plainLogin = .sticky }, { $0.policy.pinRetention = .none },
        ] {
            let (reader, application, session) = try TokenKeyTests.start(.usb, configure: change)
            let key = try application.makeKeys(session).privateKey
            let sent = try Self.instructions(reader) {
                _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
            }
            #expect(sent == [0xCA81, 0x22B6, 0x2A9A])
            #expect(Self.foreignSignature(reader) == [0x90, 0x00])
            try application.library.closeAllSessions(with: 0)
            #expect(Self.foreignSignature(reader) == [0x69, 0x82])
        }
    }

    @Test("the login outlives another process's reset of the card or of the rights, and its login")
    func disturbances() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.makeKeys(session).privateKey
        let pin = Array(Application.userPIN.utf8)
        let disturbances: [() -> Void] = [
            { _ = reader.card.process([0x80, 0x40, 0x00, 0x00]) }, { reader.resetCard() },
            { _ = reader.card.process([0x00, 0x20, 0x00, 0x02, UInt8(pin.count)] + pin) },
        ]
        for disturb in disturbances {
            disturb()
            _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
            #expect(try application.library.sessionInfo(session).state == CKS_RW_USER_FUNCTIONS)
        }
    }

    @Test("a PIN whose presentation brought no answer is not presented again in the same call")
    func lostPresentation() throws {
        let time = TestTime()
        let (reader, application, session) = try TokenKeyTests.start(.usb) { $0.clocks = time.clocks }
        let key = try application.makeKeys(session).privateKey
        reader.onResponse { _, instruction, response throws(LinkError) in
            guard instruction != 0x20 else { throw .transmission(code: 1) }
            return response
        }
        let sent = Self.instructions(reader) {
            #expect(throws: CKError.deviceError) {
                try application.sign(session, key, Application.digest, CKM_GOSTR3410)
            }
        }
        #expect(sent.count { $0 == 0x2002 } == 1)
        reader.onResponse(nil)
        #expect(Self.foreignSignature(reader) == [0x69, 0x82], "the card took the PIN")
        _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
    }

    @Test("with plain_login = sticky another process's reset of the card ends the login")
    func stickyReset() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb) { $0.policy.plainLogin = .sticky }
        reader.resetCard()
        #expect(try application.find(session).isEmpty)
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
    }

    @Test("a new PIN is the one that is presented from then on", arguments: [Identity.usb, .bt])
    func newPIN(_ identity: Identity) throws {
        let (reader, application, session) = try TokenKeyTests.start(identity)
        let key = try application.makeKeys(session).privateKey
        try application.library.withSession(session) { session throws(CKError) in
            try session.setPIN(old: .of(Application.userPIN), new: .of("another PIN"))
        }
        reader.resetCard()
        _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        #expect(try application.library.token(in: 0, evicting: true).info.user.triesLeft == 10)
    }

    @Test("a PIN that another process changed costs one try, and then the login is over")
    func changedPIN() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.makeKeys(session).privateKey
        let pin = Array(Application.userPIN.utf8)
        _ = reader.card.process([0x00, 0x20, 0x00, 0x02, UInt8(pin.count)] + pin)
        _ = reader.card.process([0x00, 0x24, 0x01, 0x02, 0x0E, 0x80, 0x02, 0x00, 0x08, 0xA6, 0x08] + "87654321".utf8)
        _ = reader.card.process([0x80, 0x40, 0x00, 0x00])
        for _ in 0..<2 {
            #expect(throws: CKError.self) { try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        }
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        #expect(try application.library.token(in: 0, evicting: false).info.user.triesLeft == 9)
    }

    @Test(
        "behind the serial number, C_Login costs two commands and a change counter, C_Sign four and then three, a search one"
    )
    func roundTrips() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        let session = try application.open()
        #expect(try Self.instructions(reader) { try application.logIn(session) } == [0xCA81, 0xCA32, 0x2002, 0x4002])
        let key = try application.makeKeys(session).privateKey
        _ = try application.find(session)
        for cost in [5, 4] {
            #expect(try Self.instructions(reader) { _ = try application.find(session) } == [0xCA81, 0xCA32])
            #expect(
                try Self.instructions(reader) {
                    _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
                }.count == cost)
        }
    }
}
