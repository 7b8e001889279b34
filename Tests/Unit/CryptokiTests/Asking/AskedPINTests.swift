// SPDX-License-Identifier: Apache-2.0
import Asking
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
import Translation

@Suite("PINs that the user is asked for")
struct AskedPINTests {
    static let ends: [(AskingError, CK_RV)] = [
        (.cancelled, CKR_FUNCTION_CANCELED), (.failed("time ran out"), CKR_FUNCTION_FAILED),
        (.notInstalled("pinentry"), CKR_FUNCTION_FAILED), (.notConfigured, CKR_FUNCTION_FAILED),
    ]

    let user = StandInUser()

    /// An activated token whose PINs the user is asked for.
    private func start(
        _ identity: Identity = .bt, asksUser: Bool = true, configure: (inout TokenSettings) -> Void = { _ in }
    ) throws -> (EmulatedReader, Application, CK_SESSION_HANDLE) {
        let passwords = identity.name == Identity.bt.name ? [Application.password] : []
        let reader = try EmulatedReader(identity, passwords: passwords)
        let application = Application(
            reader, store: Folder(), interaction: user.interaction(asksUser: asksUser), configure: configure)
        if !passwords.isEmpty { try application.activate() }
        return (reader, application, try application.open())
    }

    @Test("a login without a PIN asks, and names token, program, purpose and tries", arguments: ["usb", "bt"])
    func login(_ identity: String) throws {
        let (_, application, session) = try start(identity == "bt" ? .bt : .usb)
        user.answer(.text("wrong PIN"), .text(Application.userPIN))
        try application.library.logIn(session, as: CKU_USER, pin: nil)
        #expect(try application.library.sessionInfo(session).state == CKS_RW_USER_FUNCTIONS)
        let questions = user.questions
        #expect(questions.count == 2)
        let token = try application.library.token(in: 0, evicting: false).info
        let serial = token.serial.suffix(4).map { String(format: "%02x", $0) }.joined()
        for part in [serial, EmulatedReader.name, "process \(getpid())", "log in", "Tries left: 10"] {
            #expect(questions[0].text.contains(part), "\(part)")
        }
        #expect(questions[0].error == nil && questions[0].button.map { "\($0)" } == "Log in")
        #expect(questions[1].error == "The PIN is wrong.")
        #expect(questions[1].text.contains("Tries left: 9"))
        #expect(questions[0].key == "kanal:\(serial):user")
    }

    @Test("each end of a question without an answer has its return value, and costs no try", arguments: 0..<4)
    func withoutAnswer(_ index: Int) throws {
        let (_, application, session) = try start()
        user.answer(.no(Self.ends[index].0))
        #expect(throws: CKError(Self.ends[index].1)) {
            try application.library.logIn(session, as: CKU_USER, pin: nil)
        }
        #expect(try application.library.token(in: 0, evicting: false).info.user.triesLeft == 10)
    }

    @Test("with nobody to ask, a missing PIN is a wrong argument")
    func nobody() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        let session = try application.open()
        #expect(!application.library.asksForPINs)
        #expect(throws: CKError.argumentsBad) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
    }

    @Test("wrong answers end with the last try")
    func locked() throws {
        let (_, application, session) = try start(.usb)
        for _ in 0..<20 { user.answer(.text("wrong PIN")) }
        #expect(throws: CKError.pinLocked) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
        #expect(user.questions.count == 10)
        #expect(throws: CKError.pinLocked) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
        #expect(user.questions.count == 10, "a PIN without tries is asked for")
    }

    @Test("a wrong PIN in a file costs one try")
    func file() throws {
        let (_, application, session) = try start(.usb, asksUser: false)
        for _ in 0..<20 { user.answer(.text("wrong PIN")) }
        #expect(throws: CKError.pinIncorrect) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
        #expect(try application.library.token(in: 0, evicting: false).info.user.triesLeft == 9)
        #expect(throws: CKError.argumentsBad) {
            try application.library.setPIN(session, old: SharedSecret(.of(Application.userPIN)), new: nil)
        }
        #expect(user.questions.count == 1, "a file gives no new PIN")
    }

    @Test("a PIN that the program gives is used")
    func given() throws {
        let (_, application, session) = try start()
        try application.library.logIn(session, as: CKU_USER, pin: SharedSecret(.of(Application.userPIN)))
        #expect(user.questions.isEmpty)
    }

    @Test("nobody is asked for what cannot succeed")
    func pointless() throws {
        let (_, application, session) = try start(.usb)
        try application.logIn(session)
        #expect(throws: CKError.userAlreadyLoggedIn) {
            try application.library.logIn(session, as: CKU_USER, pin: nil)
        }
        #expect(throws: CKError.userTypeInvalid) { try application.library.logIn(session, as: 7, pin: nil) }
        #expect(throws: CKError.operationNotInitialised) {
            try application.library.logIn(session, as: CKU_CONTEXT_SPECIFIC, pin: nil)
        }
        #expect(throws: CKError.userNotLoggedIn) { try application.library.initPIN(session, to: nil) }
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        try application.logIn(session, "87654321", as: CKU_SO)
        // The policy of a new token lets only User change the PIN.
        #expect(throws: CKError(CKR_FUNCTION_REJECTED)) { try application.library.initPIN(session, to: nil) }
        #expect(user.questions.isEmpty)
    }

    @Test("a PIN is changed by what the user types; a new one of a wrong length is asked for again")
    func newPINs() throws {
        let (_, application, session) = try start(.usb)
        user.answer(.text(Application.userPIN), .text("1"), .text(Application.userPIN), .text("87651234"))
        try application.library.setPIN(session, old: nil, new: nil)
        #expect(user.questions.map { $0.repeatPrompt != nil } == [false, true, false, true])
        #expect(user.questions[3].error?.contains("length") == true)
        try application.library.logIn(session, as: CKU_USER, pin: SharedSecret(.of("87651234")))
    }

    @Test("a token is formatted, and a local PIN and the user's set, with PINs that are asked for")
    func administration() throws {
        let (_, application, session) = try start(.usb)
        user.answer(.text(Application.userPIN), .text("local PIN"))
        try application.library.setLocalPIN(5, in: 0, to: nil, presenting: nil)
        try application.library.closeSession(session)
        user.answer(.text("wrong PIN"), .text("87654321"))
        try application.library.initToken(in: 0, pin: nil, mode: 0) { pin in
            TokenFormat(
                securityOfficer: .init(value: pin.secret.copy()), user: .init(value: .of("12345678")), changePolicy: 3,
                label: Array("new".utf8), isRepair: false)
        }
        #expect(try application.library.token(in: 0, evicting: true).info.label == Array("new".utf8))
        let second = try application.open()
        user.answer(.text("87654321"), .text("11112222"))
        try application.library.logIn(second, as: CKU_SO, pin: nil)
        try application.library.initPIN(second, to: nil)
        try application.library.withSession(second) { session throws(CKError) in try session.logOut() }
        try application.library.logIn(second, as: CKU_USER, pin: SharedSecret(.of("11112222")))
    }

    @Test("new PINs of a format and the default PIN are asked for, again after one of a wrong length")
    func newPINsOfFormat() throws {
        let (_, application, session) = try start(.usb)
        try application.library.closeSession(session)
        user.answer(.text("87654321"), .text("officer"), .text("1"))
        user.answer(.text("87654321"), .text("officer"), .text("user 1"))
        try application.library.initToken(in: 0, pin: nil, newPINs: (nil, nil), mode: 0) {
            officer, user throws(CKError) in
            guard user.secret.count >= 6 else { throw .pinLengthRange }
            return TokenFormat(
                securityOfficer: .init(value: officer.secret.copy()), user: .init(value: user.secret.copy()),
                changePolicy: 3, label: [], isRepair: false)
        }
        #expect(user.questions.map { $0.repeatPrompt != nil } == [false, true, true, false, true, true])
        #expect(user.questions[1].title.description.contains("security officer"))
        #expect(user.questions[5].error?.contains("length") == true)
        let second = try application.open()
        #expect(throws: CKError.userNotLoggedIn) {
            try application.library.setDefaultPIN(second, of: CKU_USER, to: nil)
        }
        #expect(user.questions.count == 6, "nobody is asked for what cannot succeed")
        try application.library.logIn(second, as: CKU_SO, pin: SharedSecret(.of("officer")))
        user.answer(.text("default"))
        try application.library.setDefaultPIN(second, of: CKU_USER, to: nil)
        try application.library.withSession(second) { session throws(CKError) in
            try session.resetPINToDefault(of: CKU_USER)
            try session.logOut()
        }
        try application.library.logIn(second, as: CKU_USER, pin: SharedSecret(.of("default")))
    }

    @Test("while the user is asked, nothing is held: the same thread can use the slot, and other programs the token")
    func nothingIsHeld() throws {
        let (reader, application, session) = try start()
        let other = Application(reader, store: Folder())
        let library = application.library
        let works = Lock(0)
        user.whileAsked {
            guard let tokens = try? library.token(in: 0, evicting: false), tokens.sessionCount == 1 else { return }
            guard (try? other.activate()) != nil, let session = try? other.open() else { return }
            guard (try? other.logIn(session)) != nil else { return }
            works.withLock { $0 += 1 }
        }
        user.answer(.text(Application.userPIN))
        try library.logIn(session, as: CKU_USER, pin: nil)
        #expect(works.withLock { $0 } == 1)
    }

    @Test("a token that leaves while the user is asked ends the call")
    func absence() throws {
        let (reader, application, session) = try start(.usb)
        user.whileAsked { reader.removeCard() }
        user.answer(.text(Application.userPIN))
        #expect(throws: CKError.deviceRemoved) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
    }

    @Test("another token gets nothing of the PIN that was asked for the first one")
    func anotherToken() throws {
        let (reader, application, session) = try start(.usb)
        let other = try EmulatedReader(.usb).card
        try application.library.closeSession(session)
        user.whileAsked {
            reader.removeCard()
            reader.insertCard(other)
        }
        user.answer(.text("87654321"))
        #expect(throws: CKError.deviceRemoved) {
            try application.library.initToken(in: 0, pin: nil, mode: 0) { pin in
                TokenFormat(
                    securityOfficer: .init(value: pin.secret.copy()), user: .init(value: .of("12345678")),
                    changePolicy: 3,
                    label: [], isRepair: false)
            }
        }
        #expect(reader.count(of: 0x20) == 0)
    }

    @Test("another token gets no local PIN, and none of the user's, that was asked for the first one")
    func localPINOfAnotherToken() throws {
        let (reader, application, session) = try start(.usb)
        let other = try EmulatedReader(.usb).card
        try application.library.closeSession(session)
        user.whileAsked {
            reader.removeCard()
            reader.insertCard(other)
        }
        user.answer(.text(Application.userPIN), .text("local PIN"))
        #expect(throws: CKError.deviceRemoved) {
            try application.library.setLocalPIN(5, in: 0, to: nil, presenting: nil)
        }
        #expect(reader.count(of: 0x20) == 0 && reader.count(of: 0x24) == 0)
    }

    @Test("the end of the library while the user is asked ends the call")
    func finalisation() throws {
        let (_, application, session) = try start(.usb)
        user.whileAsked { application.library.finalize() }
        user.answer(.text(Application.userPIN))
        #expect(throws: CKError.notInitialised) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
    }

    @Test("two threads that want the same PIN ask once: a no is the answer to both, and so is a login")
    func twoThreads() async throws {
        for isNo in [true, false] {
            let user = StandInUser(isNo ? .no(.cancelled) : .text(Application.userPIN), .no(.failed("asked twice")))
            let reader = try EmulatedReader(.usb)
            let application = Application(reader, store: Folder(), interaction: user.interaction())
            let sessions = [try application.open(), try application.open()]
            // The first question stays open until the second thread waits for it.
            user.whileAsked { usleep(300_000) }
            let errors = await withTaskGroup(of: CKError?.self) { group in
                for (index, session) in sessions.enumerated() {
                    group.addTask {
                        await inThread {
                            if index == 1 { usleep(100_000) }
                            do throws(CKError) {
                                try application.library.logIn(session, as: CKU_USER, pin: nil)
                                return nil
                            } catch {
                                return error
                            }
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(user.questions.count == 1)
            if isNo {
                #expect(errors == [.functionCanceled, .functionCanceled])
            } else {
                #expect(errors.contains(nil) && errors.contains(.userAlreadyLoggedIn))
            }
        }
    }
}

/// Runs `body` in a thread of its own, which it may block.
private func inThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
