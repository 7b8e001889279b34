// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Locking
import Secrets
import TestSupport
import Testing
import Token
import Tokens

@Suite("Absence and return (15.3)", .serialized, .inBothProfiles)
struct AbsenceTests: AbsenceScene {
    static let batch: UInt8 = 0x86

    let reader: EmulatedReader
    let application: Application
    let time = TestTime()
    let journal = Journal()
    let store = Folder()
    let session: CK_SESSION_HANDLE
    let key: CK_OBJECT_HANDLE

    init() throws {
        reader = try EmulatedReader(.underTest, passwords: [Application.password])
        application = Application(reader, store: store) { [time, journal] settings in
            settings.clocks = time.clocks
            settings.log = journal.logger
            settings.policy.wirelessReaders = [WildcardPattern("virtual pcd*")]
        }
        try application.activate()
        session = try application.open()
        try application.logIn(session)
        key = try application.makeKeys(session).privateKey
        reader.onResponse(nil)
    }

    @Test("N74: a token back within the window goes on with sessions, handles and login, after one VERIFY")
    func returns() throws {
        try sign()
        #expect(try presence == .normal)
        let before = verifications
        leave(5)
        try sign()
        #expect(verifications == before + 1)
        try expectReturn()
        try sign()
        #expect(verifications == before + 1)
    }

    @Test("N74: a token that was away between two calls, and is back, goes on")
    func returnsUnseen() throws {
        reader.removeCard()
        time.pass(.seconds(3))
        reader.insertCard()
        try sign()
        #expect(try presence == .completed)
    }

    @Test("looking at the reader shows that the token is there, so that the window begins later")
    func looks() throws {
        try sign()
        for _ in 0..<10 {
            time.pass(.seconds(15))
            _ = try application.library.slots(tokenPresent: false, isQuery: false)
        }
        leave(19)
        try sign()
        // A card that came and went between two looks may have been away all the time.
        _ = try application.library.slots(tokenPresent: false, isQuery: false)
        time.pass(.seconds(15))
        reader.removeCard()
        reader.insertCard()
        for _ in 0..<2 { _ = try application.library.slots(tokenPresent: false, isQuery: false) }
        time.pass(.seconds(15))
        _ = try application.library.slots(tokenPresent: false, isQuery: false)
        #expect(throws: CKError.deviceRemoved) { try sign() }
    }

    @Test("the PIN is presented again only in a channel from which a reply was verified (15.3, 1)")
    func presentation() throws {
        try sign()
        leave(5)
        try sign()
        let headers = reader.headers
        let opening = try #require(headers.lastIndex { $0.starts(with: [0x80, 0x86, 0x04]) })
        let presentation = try #require(headers.lastIndex { $0[1] == Self.verify })
        #expect(presentation > opening + 1)
        #expect(headers[opening + 1][0] & 0x0C == 0x0C)
    }

    @Test("a token may leave again and again")
    func leavesOften() throws {
        for _ in 0..<3 {
            leave(15)
            try sign()
        }
    }

    @Test("while a token is away, slot and token tell so at once, and the session stays")
    func truth() throws {
        reader.removeCard()
        #expect(try application.library.slots(tokenPresent: true, isQuery: false) == [])
        #expect(throws: CKError.tokenNotPresent) { try application.library.token(in: 0, evicting: false) }
        #expect(try state == CKS_RW_USER_FUNCTIONS)
        time.after(.seconds(1)) { [reader] in reader.insertCard() }
        try sign()
    }

    @Test("logging out does not wait for a token that is away")
    func logOut() throws {
        reader.removeCard()
        #expect(throws: CKError.tokenNotPresent) { try application.library.token(in: 0, evicting: false) }
        time.after(.seconds(2)) { [reader] in reader.insertCard() }
        _ = try application.find(session)
        reader.removeCard()
        time.pass(.seconds(1))
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(try state == CKS_RW_PUBLIC_SESSION)
        let before = verifications
        reader.insertCard()
        #expect(try application.find(session).count == 1)
        #expect(verifications == before)
    }

    @Test("N75: a PIN that was changed elsewhere costs one VERIFY and one try, and is forgotten")
    func changedPIN() throws {
        reader.removeCard()
        let other = Application(reader, store: store)
        reader.insertCard()
        let otherSession = try other.open()
        try other.logIn(otherSession)
        try other.library.withSession(otherSession) { session throws(CKError) in
            try session.setPIN(old: .of("12345678"), new: .of("another PIN"))
        }
        try other.library.closeAllSessions(with: 0)
        let before = verifications
        #expect(throws: CKError.userNotLoggedIn) { try sign() }
        #expect(verifications == before + 1)
        #expect(try application.library.token(in: 0, evicting: true).info.user.triesLeft == 9)
        #expect(try state == CKS_RW_PUBLIC_SESSION)
        #expect(throws: CKError.keyHandleInvalid) { try sign() }
        #expect(verifications == before + 1)
    }

    @Test("N77: after the window the sessions have ended")
    func windowOver() throws {
        leave(21)
        let before = verifications
        #expect(throws: CKError.deviceRemoved) { try sign() }
        #expect(throws: CKError.sessionHandleInvalid) { try sign() }
        time.pass(.seconds(5))
        _ = try application.open()
        #expect(verifications == before)
    }

    @Test("N77: a token that came back after the window, with nobody waiting, finds no sessions")
    func windowOverUnseen() throws {
        reader.removeCard()
        time.pass(.seconds(21))
        reader.insertCard()
        let before = verifications
        #expect(throws: CKError.deviceRemoved) { try sign() }
        #expect(verifications == before)
    }

    @Test("N77: suspend ends the login, and the channel (12)")
    func suspend() throws {
        let before = verifications, openings = reader.openings
        time.suspend(.seconds(5))
        #expect(throws: CKError.userNotLoggedIn) { try sign() }
        #expect(try state == CKS_RW_PUBLIC_SESSION)
        #expect(verifications == before)
        #expect(reader.openings == openings + 1)
    }

    @Test("N77: the window's clock runs during suspend")
    func suspendedAbsence() throws {
        reader.removeCard()
        time.suspend(.seconds(30))
        reader.insertCard()
        #expect(throws: CKError.deviceRemoved) { try sign() }
    }

    @Test("N77: a PIN that is not retained is not presented again")
    func notRetained() throws {
        let other = Application(reader, store: store) { $0.policy.pinRetention = .none }
        let session = try other.open()
        try other.logIn(session)
        let key = try #require(try other.find(session, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)]).first)
        _ = try other.sign(session, key, Application.digest, CKM_GOSTR3410)
        let before = verifications
        reader.resetCard()
        #expect(throws: CKError.userNotLoggedIn) {
            try other.sign(session, key, Application.digest, CKM_GOSTR3410)
        }
        #expect(verifications == before)
        #expect(try other.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        try other.logIn(session)
    }

    @Test("N78: a PIN whose presentation brought no answer is forgotten, not sent again")
    func lostPresentation() throws {
        reader.resetCard()
        let before = verifications
        reader.onResponse { _, instruction, response throws(LinkError) in
            guard instruction != Self.verify else { throw .transmission(code: 1) }
            return response
        }
        #expect(throws: CKError.userNotLoggedIn) { try sign() }
        reader.onResponse(nil)
        #expect(throws: (any Error).self) { try sign() }
        #expect(verifications == before + 1)
        #expect(try state == CKS_RW_PUBLIC_SESSION)
        try application.logIn(session)
    }

    @Test("N53: a search that the removal cuts short goes on after the return")
    func idempotentCall() throws { try expectSearchesGoOn() }

    @Test("N53: a signature that the removal cuts short is not repeated; the next call waits and goes on")
    func signature() throws {
        // The signature is all that the call sends.
        try sign()
        try expectNoSecondSignature(Self.batch)
    }

    @Test("on a wired reader removal ends the sessions at once, unless configured otherwise")
    func wired() throws {
        let wired = Application(reader, store: store) { $0.clocks = time.clocks }
        _ = try wired.open()
        let session = try wired.open()
        leave(1)
        #expect(throws: CKError.deviceRemoved) { try wired.find(session) }
        #expect(throws: CKError.sessionHandleInvalid) { try wired.find(session) }
        reader.insertCard()

        let patient = Application(reader, store: store) { settings in
            settings.clocks = time.clocks
            settings.policy.reconnectWindowWired = 3
        }
        let next = try patient.open()
        leave(2)
        _ = try patient.find(next)
    }

    @Test("closing all sessions, and the end of the library, end the waiting", arguments: [true, false])
    func abandoned(_ closes: Bool) throws {
        reader.removeCard()
        time.after(.seconds(2)) { [application] in
            // Another thread's call: this one holds the slot.
            Thread.detachNewThread {
                if closes { try? application.library.closeAllSessions(with: 0) } else { application.library.finalize() }
            }
            // The other thread must reach the slot's lock.
            Thread.sleep(forTimeInterval: 0.2)
        }
        #expect(throws: CKError.deviceRemoved) { try sign() }
    }
}
