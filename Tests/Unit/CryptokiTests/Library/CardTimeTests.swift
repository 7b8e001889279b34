// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import TestSupport
import Testing

@Suite("While a card works")
struct CardTimeTests {
    /// An application with a session whose signature waits for the card, until the test lets the card answer.
    private struct Scene {
        let reader: EmulatedReader
        let application: Application
        /// The session that signs.
        let signing: CK_SESSION_HANDLE
        /// Another one.
        let other: CK_SESSION_HANDLE
        let key: CK_OBJECT_HANDLE
        private let answer = DispatchSemaphore(value: 0)

        init(_ identity: Identity = .usb) throws {
            (reader, application, signing) = try TokenKeyTests.start(identity)
            key = try application.makeKeys(signing).privateKey
            other = try application.open()
        }

        /// Signs in a thread of its own, and waits until the card works.
        func begin() -> Call {
            let works = DispatchSemaphore(value: 0)
            let (answer, reader) = (answer, reader)
            reader.onResponse { _, _, response throws(LinkError) in
                reader.onResponse(nil)
                works.signal()
                answer.wait()
                return response
            }
            let call = Call { [application, signing, key] in
                _ = try application.sign(signing, key, Application.digest, CKM_GOSTR3410)
            }
            works.wait()
            return call
        }

        func letAnswer() { answer.signal() }
    }

    /// A call in a thread of its own.
    private final class Call: Sendable {
        private let end = DispatchSemaphore(value: 0)
        nonisolated(unsafe) private var error: (any Error)?

        init(_ body: @escaping @Sendable () throws -> Void) {
            Thread.detachNewThread { [self] in
                do { try body() } catch { unsafe self.error = error }
                end.signal()
            }
        }

        /// Whether it has ended, or does within `seconds`.
        func ends(within seconds: Double) -> Bool {
            let ends = end.wait(timeout: .now() + seconds) == .success
            if ends { end.signal() }
            return ends
        }

        /// Waits for its end.
        ///
        /// - Throws: The error of the call.
        func result() throws {
            end.wait()
            end.signal()
            if let error = unsafe error { throw error }
        }
    }

    @Test("a call that waits for its turn gives no PIN to a token that another call has found in the place")
    func anotherToken() throws {
        let scene = try Scene()
        let another = try EmulatedCard(.usb, activationPasswords: [])
        scene.reader.swapCard(another)
        let signature = scene.begin()
        let change = Call { [application = scene.application, other = scene.other] in
            try application.library.withSession(other) { session throws(CKError) in
                try session.setPIN(old: .of(Application.userPIN), new: .of("another PIN"))
            }
        }
        #expect(!change.ends(within: 0.3))
        scene.letAnswer()
        #expect(throws: CKError.deviceRemoved) { try signature.result() }
        #expect(throws: CKError.deviceRemoved) { try change.result() }
        #expect([0x20, 0x24].allSatisfy { another.executions(of: $0) == 0 })
    }

    @Test("calls of other sessions that need no card do not wait", arguments: ["usb", "bt"])
    func others(_ identity: String) throws {
        let scene = try Scene(identity == "bt" ? .bt : .usb)
        let (application, other) = (scene.application, scene.other)
        try application.library.withSession(other) { session throws(CKError) in
            try session.findObjectsInit(Attributes())
        }
        let third = try application.open()
        let signature = scene.begin()
        let before = scene.reader.commands
        #expect(try application.library.sessionInfo(other).state == CKS_RW_USER_FUNCTIONS)
        #expect(try application.library.sessionInfo(scene.signing).state == CKS_RW_USER_FUNCTIONS)
        try application.library.withSession(other) { session throws(CKError) in
            try session.digestInit(Mechanism(type: CKM_GOSTR3411_12_256, parameter: []))
            #expect(try session.digest([1, 2, 3].span).count == 32)
            #expect(try session.findObjects(limit: 10).count == 2)
            _ = try session.attributes(of: scene.key, types: [CKA_LABEL])
        }
        try application.library.closeSession(third)
        #expect(scene.reader.commands == before)
        #expect(!signature.ends(within: 0))
        scene.letAnswer()
        try signature.result()
    }

    @Test("calls that need the same card take turns, and so do those of one session")
    func turns() throws {
        let scene = try Scene()
        let signature = scene.begin()
        let (application, other, key) = (scene.application, scene.other, scene.key)
        let second = Call { _ = try application.sign(other, key, Application.digest, CKM_GOSTR3410) }
        let same = Call { [signing = scene.signing] in
            try application.library.withSession(signing) { session throws(CKError) in
                try session.digestInit(Mechanism(type: CKM_GOSTR3411_12_256, parameter: []))
            }
        }
        #expect(!second.ends(within: 0.1) && !same.ends(within: 0.1))
        scene.letAnswer()
        try signature.result()
        try second.result()
        try same.result()
    }

    @Test("all sessions are closed at once; the call that waits for the card learns it, and the token is logged out")
    func closing() throws {
        let scene = try Scene()
        let signature = scene.begin()
        let closing = Call { [library = scene.application.library] in try library.closeAllSessions(with: 0) }
        #expect(closing.ends(within: 10))
        #expect(throws: CKError.sessionHandleInvalid) { try scene.application.library.sessionInfo(scene.signing) }
        scene.letAnswer()
        #expect(throws: CKError.sessionClosed) { try signature.result() }
        let session = try scene.application.open()
        #expect(try scene.application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        #expect(throws: (any Error).self) {
            _ = try scene.application.sign(session, scene.key, Application.digest, CKM_GOSTR3410)
        }
    }

    @Test("the library ends without a card that does not answer")
    func finalization() throws {
        let scene = try Scene()
        let signature = scene.begin()
        let end = Call { [library = scene.application.library] in library.finalize() }
        #expect(end.ends(within: 20))
        scene.letAnswer()
        #expect(throws: (any Error).self) { try signature.result() }
    }

    @Test("a session for reading that is opened during the SO's login is refused, or the login is")
    func officers() throws {
        for _ in 0..<5 {
            let application = Application(try EmulatedReader(.usb), store: Folder())
            let writing = try application.open()
            let login = Call { try application.logIn(writing, "87654321", as: CKU_SO) }
            let opening = Call { _ = try application.library.openSession(with: 0, flags: CKF_SERIAL_SESSION) }
            let results = [login, opening].map { call in Result { try call.result() } }
            let failures = results.compactMap { result -> CKError? in
                if case .failure(let error) = result { error as? CKError } else { nil }
            }
            #expect(failures == [.sessionReadOnlyExists] || failures == [.sessionReadWriteSOExists])
        }
    }

    @Test("two logins at once present one PIN")
    func logins() throws {
        let application = Application(try EmulatedReader(.usb), store: Folder())
        let sessions = [try application.open(), try application.open()]
        let results = sessions.map { session in Call { try application.logIn(session) } }
            .map { call in Result { try call.result() } }
        let failures = results.compactMap { result -> CKError? in
            if case .failure(let error) = result { error as? CKError } else { nil }
        }
        #expect(failures == [.userAlreadyLoggedIn])
    }

    @Test("a session on a token without a channel opens without a word to it")
    func opening() throws {
        let scene = try Scene()
        let before = scene.reader.transactions
        _ = try scene.application.open()
        #expect(scene.reader.transactions == before)
        scene.reader.removeCard()
        scene.reader.insertCard()
        _ = try? scene.application.open()
        #expect(scene.reader.transactions > before)
    }
}
