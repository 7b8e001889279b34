// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Secrets
import Testing

@Suite("Keys that want the PIN for each use", .serialized)
struct AuthenticationTests {
    private static func keys(
        _ application: Application, _ session: CK_SESSION_HANDLE, onToken: Bool, isPrivate: Bool = true
    ) throws -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        let open = try Attributes(template: [(CKA_TOKEN, [onToken ? 1 : 0])])
        let hidden = try Attributes(template: [
            (CKA_TOKEN, [onToken ? 1 : 0]), (CKA_ALWAYS_AUTHENTICATE, [1]), (CKA_PRIVATE, [isPrivate ? 1 : 0]),
        ])
        return try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: CKM_GOSTR3410_KEY_PAIR_GEN, parameter: []), publicTemplate: open,
                privateTemplate: hidden)
        }
    }

    private static let digest = [UInt8](repeating: 3, count: 32)
    private static let mechanism = Mechanism(type: CKM_GOSTR3410, parameter: [])

    @Test(
        "R13: the PIN comes between C_SignInit and C_Sign, for one signature", arguments: ["usb", "bt"], [true, false])
    func oneUse(_ identity: String, onToken: Bool) throws {
        let (_, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let keys = try Self.keys(application, session, onToken: onToken)
        #expect(try application.attributes(session, of: keys.1).bool(CKA_ALWAYS_AUTHENTICATE) == true)
        func logIn() throws { try application.logIn(session, as: CKU_CONTEXT_SPECIFIC) }
        func begin() throws(CKError) {
            try application.library.withSession(session) { session throws(CKError) in
                try session.signInit(Self.mechanism, key: keys.1)
            }
        }
        func sign() throws(CKError) -> [UInt8] {
            try application.library.withSession(session) { session throws(CKError) in
                try session.sign(Self.digest.span)
            }
        }
        for _ in 0..<2 {
            #expect(throws: CKError.operationNotInitialised) { try logIn() }
            try begin()
            try logIn()
            #expect(throws: CKError.operationNotInitialised) { try logIn() }
            let signature = try sign()
            try application.verify(session, keys.0, Self.digest, signature, CKM_GOSTR3410)
        }
        try begin()
        #expect(throws: CKError.userNotLoggedIn) { try sign() }
        #expect(throws: CKError.operationNotInitialised) { try sign() }
    }

    @Test("a wrong PIN lets no key be used, and ends no login", arguments: ["usb", "bt"])
    func wrongPIN(_ identity: String) throws {
        let (_, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let keys = try Self.keys(application, session, onToken: true)
        try application.library.withSession(session) { session throws(CKError) in
            try session.signInit(Self.mechanism, key: keys.1)
        }
        #expect(throws: CKError.pinIncorrect) {
            try application.logIn(session, "00000000", as: CKU_CONTEXT_SPECIFIC)
        }
        #expect(throws: CKError.userNotLoggedIn) {
            try application.library.withSession(session) { session throws(CKError) in
                try session.sign(Self.digest.span)
            }
        }
        // The login that was there before is there still.
        let other = try application.makeKeys(session)
        _ = try application.sign(session, other.privateKey, Self.digest, CKM_GOSTR3410)
    }

    @Test("after a wrong PIN the operation waits for the right one", arguments: ["usb", "bt"])
    func secondTry(_ identity: String) throws {
        let (_, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let keys = try Self.keys(application, session, onToken: true)
        try application.library.withSession(session) { session throws(CKError) in
            try session.signInit(Self.mechanism, key: keys.1)
        }
        #expect(throws: CKError.pinIncorrect) {
            try application.logIn(session, "00000000", as: CKU_CONTEXT_SPECIFIC)
        }
        try application.logIn(session, as: CKU_CONTEXT_SPECIFIC)
        let signature = try application.library.withSession(session) { session throws(CKError) in
            try session.sign(Self.digest.span)
        }
        try application.verify(session, keys.0, Self.digest, signature, CKM_GOSTR3410)
    }

    @Test("only private keys can be such")
    func template() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        #expect(throws: CKError.templateInconsistent) {
            try Self.keys(application, session, onToken: false, isPrivate: false)
        }
        #expect(throws: CKError.templateInconsistent) {
            try application.create(
                session, ObjectTests.privateKey + [(CKA_ALWAYS_AUTHENTICATE, [1]), (CKA_PRIVATE, [0])])
        }
    }
}
