// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing
import Token
import Tokens

@Suite("Login", .serialized, .inBothProfiles)
struct LoginTests {
    let reader: EmulatedReader
    let application: Application
    let session: CK_SESSION_HANDLE

    init() throws {
        reader = try EmulatedReader(.underTest, passwords: [Application.password])
        application = Application(reader, store: Folder())
        try application.activate()
        session = try application.open()
    }

    private var state: CK_STATE { get throws { try application.library.sessionInfo(session).state } }

    @Test("the state of a session follows the login")
    func states() throws {
        #expect(try state == CKS_RW_PUBLIC_SESSION)
        try application.logIn(session)
        #expect(try state == CKS_RW_USER_FUNCTIONS)
        #expect(throws: CKError.userAlreadyLoggedIn) { try application.logIn(session) }
        #expect(throws: CKError.userAnotherAlreadyLoggedIn) { try application.logIn(session, "87654321", as: CKU_SO) }
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(try state == CKS_RW_PUBLIC_SESSION)
        try application.logIn(session, "87654321", as: CKU_SO)
        #expect(try state == CKS_RW_SO_FUNCTIONS)
    }

    @Test("R12: a wrong PIN is told as such ten times, then the PIN is locked, and the flags say how far it is")
    func wrongPIN() throws {
        for left in (0..<10).reversed() {
            #expect(throws: CKError.pinIncorrect) { try application.logIn(session, "11111111") }
            #expect(try application.library.token(in: 0, evicting: false).info.user.triesLeft == left)
        }
        #expect(throws: CKError.pinLocked) { try application.logIn(session) }
    }

    @Test("a PIN of no character, or of too many for any, costs neither a try nor the login", arguments: [0, 300])
    func impossiblePIN(_ count: Int) throws {
        try application.logIn(session)
        let pin = String(repeating: "1", count: count)
        #expect(throws: CKError.pinIncorrect) {
            try application.library.setLocalPIN(3, in: 0, to: .of("123456"), presenting: .of(pin))
        }
        #expect(try state == CKS_RW_USER_FUNCTIONS)
        let user = try application.library.token(in: 0, evicting: false).info.user
        #expect(user.triesLeft == user.tries)
        _ = try application.makeKeys(session)
    }

    @Test("a login survives a reset of the card by another process, with one presentation of the PIN")
    func reset() throws {
        try application.logIn(session)
        let keys = try application.makeKeys(session)
        reader.resetCard()
        _ = try application.sign(session, keys.privateKey, [UInt8](repeating: 1, count: 32), CKM_GOSTR3410)
        #expect(try state == CKS_RW_USER_FUNCTIONS)
    }

    @Test("R10: two applications work with a token of one session in turn, and each keeps its login")
    func twoApplications() throws {
        try application.logIn(session)
        let keys = try application.makeKeys(session)
        let other = Application(reader, store: Folder())
        try other.activate()
        let otherSession = try other.open()
        try other.logIn(otherSession)
        let otherKey = try #require(try other.find(otherSession, [(CKA_CLASS, [3, 0, 0, 0, 0, 0, 0, 0])]).first)
        for _ in 0..<3 {
            let digest = [UInt8](repeating: 1, count: 32)
            _ = try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410)
            _ = try other.sign(otherSession, otherKey, digest, CKM_GOSTR3410)
        }
    }

    @Test("a sticky login on a token without a channel that another process ended is known to be over")
    func lostRight() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb) { $0.policy.plainLogin = .sticky }
        let keys = try application.makeKeys(session)
        _ = reader.card.process([0x80, 0x40, 0x00, 0x00])
        let digest = [UInt8](repeating: 1, count: 32)
        #expect(throws: CKError.userNotLoggedIn) {
            try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410)
        }
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        try application.logIn(session)
        let key = try #require(try application.find(session, [(CKA_CLASS, [3, 0, 0, 0, 0, 0, 0, 0])]).first)
        _ = try application.sign(session, key, digest, CKM_GOSTR3410)
    }

    @Test("R9: removal ends the sessions; the token can be used again when it is back")
    func removal() throws {
        reader.removeCard()
        #expect(throws: CKError.deviceRemoved) { try application.logIn(session) }
        #expect(throws: CKError.sessionHandleInvalid) { try application.logIn(session) }
        #expect(throws: CKError.tokenNotPresent) { try application.open() }
        reader.insertCard()
        let next = try application.open()
        #expect(next != session)
        try application.logIn(next)
    }

    @Test("R9: after a removal that no call has noticed, a new session and the token's information need no second call")
    func unnoticedRemoval() throws {
        for isInformation in [true, false] {
            let stale = try application.open()
            reader.removeCard()
            reader.insertCard()
            if isInformation {
                #expect(try application.library.token(in: 0, evicting: false).sessionCount == 0)
            } else {
                try application.logIn(application.open())
            }
            #expect(throws: CKError.sessionHandleInvalid) { try application.logIn(stale) }
        }
    }

    @Test("R9: a session's information tells of a removal that no call has noticed, while the token is away and after")
    func removalInInformation() throws {
        for isBack in [false, true] {
            let stale = try application.open()
            #expect(try application.library.sessionInfo(stale).state == CKS_RW_PUBLIC_SESSION)
            reader.removeCard()
            if isBack { reader.insertCard() }
            #expect(throws: CKError.sessionHandleInvalid) { try application.library.sessionInfo(stale) }
            reader.insertCard()
        }
    }

    @Test("neither PIN nor password crosses the link in a form that can be read")
    func conversation() throws {
        try application.logIn(session)
        let keys = try application.makeKeys(session)
        _ = try application.sign(session, keys.privateKey, [UInt8](repeating: 1, count: 32), CKM_GOSTR3410)
        let conversation = reader.conversation
        #expect(conversation.count > 2_000)
        let secrets = [Application.userPIN, Application.password, Application.password.filter { $0 != "-" }]
        for secret in secrets { #expect(!conversation.contains(Array(secret.utf8))) }
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
