// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Locking
import Testing
import Token
import Tokens

@Suite("Consent to signatures")
struct ConsentTests {
    let user = StandInUser()

    private func start(
        _ consent: Consent, _ identity: Identity = .usb
    ) throws -> (EmulatedReader, Application, CK_SESSION_HANDLE) {
        let passwords = identity.name == Identity.bt.name ? [Application.password] : []
        let reader = try EmulatedReader(identity, passwords: passwords)
        let application = Application(reader, store: Folder(), interaction: user.interaction(consent: consent))
        if !passwords.isEmpty { try application.activate() }
        let session = try application.open()
        try application.logIn(session)
        return (reader, application, session)
    }

    @Test("a signature is made after a yes, and what was shown is what is signed", arguments: ["usb", "bt"])
    func yes(_ identity: String) throws {
        let (_, application, session) = try start(.always, identity == "bt" ? .bt : .usb)
        for onToken in [true, false] {
            let keys = try application.makeKeys(session, onToken: onToken)
            user.answer(.text(""))
            let digest = [UInt8](0..<32)
            let signature = try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410)
            try application.verify(session, keys.publicKey, digest, signature, CKM_GOSTR3410)
            let text = try #require(user.questions.last).text
            #expect(text.contains("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"))
            #expect(text.contains("with the key key?"))
        }
        #expect(user.questions.count == 2)
    }

    @Test("data that is hashed, at once or in parts, is hashed once")
    func hashed() throws {
        let (_, application, session) = try start(.always)
        let keys = try application.makeKeys(session)
        let message = Array("message".utf8)
        user.answer(.text(""), .text(""))
        let signature = try application.sign(session, keys.privateKey, message, CKM_GOSTR3410_WITH_GOSTR3411)
        try application.verify(session, keys.publicKey, message, signature, CKM_GOSTR3410_WITH_GOSTR3411)
        try application.library.withSession(session) { session throws(CKError) in
            try session.signInit(
                Mechanism(type: CKM_GOSTR3410_WITH_GOSTR3411, parameter: []), key: keys.privateKey)
            try session.signUpdate(message.span)
        }
        let second = try application.library.withSession(session, during: CKF_SIGN) { session throws(CKError) in
            try session.signFinal()
        }
        try application.verify(session, keys.publicKey, message, second, CKM_GOSTR3410_WITH_GOSTR3411)
    }

    @Test("without a yes there is no signature, and the operation has ended", arguments: 0..<4)
    func no(_ index: Int) throws {
        let (reader, application, session) = try start(.always)
        let key = try application.makeKeys(session).privateKey
        user.answer(.no(AskedPINTests.ends[index].0))
        #expect(throws: CKError(AskedPINTests.ends[index].1)) {
            try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        }
        #expect(reader.count(of: 0x2A) == 0)
        user.answer(.text(""))
        _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
    }

    @Test("one yes is for one signature")
    func once() throws {
        let (_, application, session) = try start(.always)
        let key = try application.makeKeys(session).privateKey
        user.answer(.text(""), .no(.cancelled))
        _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        #expect(throws: CKError.functionCanceled) {
            try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        }
        #expect(user.questions.count == 2)
    }

    @Test("with nobody to ask nothing is signed")
    func nobody() throws {
        let reader = try EmulatedReader(.usb)
        var interaction = UserInteraction()
        interaction.consent = .always
        let application = Application(reader, store: Folder(), interaction: interaction)
        let session = try application.open()
        try application.logIn(session)
        let key = try application.makeKeys(session).privateKey
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) {
            try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        }
        #expect(reader.count(of: 0x2A) == 0)
    }

    /// Events while the question is open, and the errors of the call.
    enum Meanwhile: CaseIterable {
        case sessionClosed, allClosed, loggedOut, keyDestroyed, finalised

        var error: CKError {
            switch self {
            case .sessionClosed, .allClosed: .sessionHandleInvalid
            case .loggedOut: CKError(CKR_USER_NOT_LOGGED_IN)
            case .keyDestroyed: CKError(CKR_KEY_HANDLE_INVALID)
            case .finalised: .notInitialised
            }
        }
    }

    @Test(
        "an end of the session, the login, the key or the library ends a use that the user is asked about",
        arguments: Meanwhile.allCases)
    func meanwhile(_ event: Meanwhile) throws {
        let (reader, application, session) = try start(.always)
        let (library, other) = (application.library, try application.open())
        let key = try application.makeKeys(session).privateKey
        user.whileAsked {
            do throws(CKError) {
                switch event {
                case .sessionClosed: try library.closeSession(session)
                case .allClosed: try library.closeAllSessions(with: 0)
                case .loggedOut: try library.withSession(other) { session throws(CKError) in try session.logOut() }
                case .keyDestroyed:
                    try library.withSession(other) { session throws(CKError) in try session.destroyObject(key) }
                case .finalised: library.finalize()
                }
            } catch {
                Issue.record(error)
            }
        }
        user.answer(.text(""))
        #expect(throws: event.error) { try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        #expect(reader.count(of: 0x2A) == 0)
    }

    @Test("while the user is asked, the session and the token are free, and the signature is made after it")
    func nothingIsHeld() throws {
        let (_, application, session) = try start(.always)
        let (library, other) = (application.library, try application.open())
        let keys = try application.makeKeys(session)
        let works = Lock(0)
        user.whileAsked {
            for handle in [session, other] {
                let random = try? library.withSession(handle) { session throws(CKError) in try session.generateRandom(8)
                }
                if random?.count == 8 { works.withLock { $0 += 1 } }
            }
        }
        user.answer(.text(""))
        let signature = try application.sign(session, keys.privateKey, Application.digest, CKM_GOSTR3410)
        #expect(works.withLock { $0 } == 2)
        try application.verify(session, keys.publicKey, Application.digest, signature, CKM_GOSTR3410)
    }

    @Test("per key, keys that need the PIN each time need consent, and others do not")
    func perKey() throws {
        let (_, application, session) = try start(.perKey)
        let plain = try application.makeKeys(session).privateKey
        _ = try application.sign(session, plain, Application.digest, CKM_GOSTR3410)
        #expect(user.questions.isEmpty)
    }

    @Test("what else is done with a session needs no consent")
    func others() throws {
        let (_, application, session) = try start(.always)
        let keys = try application.makeKeys(session)
        _ = try application.find(session)
        try application.library.withSession(session) { session throws(CKError) in
            _ = try session.generateRandom(8)
            try session.destroyObject(keys.publicKey)
        }
        #expect(user.questions.isEmpty)
    }
}
