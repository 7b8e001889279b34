// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Testing

@Suite("Trust", .serialized)
struct TrustTests {
    typealias Template = ObjectTests.Template

    private static let officerPIN = "87654321"
    private static let trusted: Template = [(CKA_TRUSTED, [1])]
    private static let open: Template = [(CKA_PRIVATE, [0])]

    /// An application in whose only session the SO is logged in.
    private static func start() throws -> (Application, CK_SESSION_HANDLE) {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        try logIn(application, session, officerPIN, as: CKU_SO)
        return (application, session)
    }

    private static func logIn(
        _ application: Application, _ session: CK_SESSION_HANDLE, _ pin: String = Application.userPIN,
        as user: CK_USER_TYPE = CKU_USER
    ) throws {
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        try application.logIn(session, pin, as: user)
    }

    @Test("a key with CKA_WRAP_WITH_TRUSTED is wrapped by a key that the SO trusts, and by no other")
    func wrapping() throws {
        let (application, session) = try Self.start()
        let template: Template = StoredObjectTests.rsaKey + [(CKA_WRAP, [1])] + Self.open
        let made = try application.create(session, template + Self.trusted)
        let named = try application.create(session, template)
        let plain = try application.create(session, template)
        try application.set(session, named, Self.trusted)
        try Self.logIn(application, session)
        let key = try application.create(
            session, ObjectTests.secretKey + [(CKA_WRAP_WITH_TRUSTED, [1]), (CKA_EXTRACTABLE, [1])])
        func wrap(with wrapping: CK_OBJECT_HANDLE) throws -> [UInt8] {
            try application.library.withSession(session) { session throws(CKError) in
                try session.wrapKey(Mechanism(type: CKM_RSA_PKCS, parameter: []), key, with: wrapping)
            }
        }
        for wrapping in [made, named] { #expect(try wrap(with: wrapping).isEmpty == false) }
        #expect(throws: CKError(CKR_KEY_NOT_WRAPPABLE)) { try wrap(with: plain) }
    }

    @Test("only the SO calls something trusted, or takes that back")
    func officer() throws {
        let (application, session) = try Self.start()
        let key = try application.create(session, ObjectTests.rsaKey + Self.trusted + Self.open)
        try Self.logIn(application, session)
        let own = try application.create(session, ObjectTests.rsaKey)
        #expect(throws: CKError.attributeReadOnly) { try application.set(session, own, Self.trusted) }
        #expect(throws: CKError.attributeReadOnly) { try application.copy(session, own, Self.trusted) }
        #expect(throws: CKError.attributeReadOnly) { try application.set(session, key, [(CKA_TRUSTED, [0])]) }
        for template in [ObjectTests.rsaKey, ObjectTests.secretKey, ObjectTests.certificate] {
            #expect(throws: CKError.attributeReadOnly) { try application.create(session, template + Self.trusted) }
        }
        for place in [UInt8(0), 1] {
            let template = try Attributes(template: Self.trusted + [(CKA_TOKEN, [place])])
            #expect(throws: CKError.attributeReadOnly) {
                try application.library.withSession(session) { session throws(CKError) in
                    _ = try session.generateKey(
                        Mechanism(type: CKM_MAGMA_KEY_GEN, parameter: []), template: template)
                }
            }
            let half = try Attributes(template: [(CKA_TOKEN, [place])])
            #expect(throws: CKError.attributeReadOnly) {
                try application.library.withSession(session) { session throws(CKError) in
                    _ = try session.generateKeyPair(
                        Mechanism(type: CKM_GOSTR3410_KEY_PAIR_GEN, parameter: []), publicTemplate: template,
                        privateTemplate: half)
                }
            }
        }
        #expect(try application.find(session, [(CKA_TOKEN, [1])]).isEmpty)
        try Self.logIn(application, session, Self.officerPIN, as: CKU_SO)
        try application.set(session, key, [(CKA_TRUSTED, [0])])
        #expect(try application.attributes(session, of: key)[CKA_TRUSTED] == [0])
    }

    @Test("a trusted certificate is not modified; User's copy of it is trusted, on the token too")
    func certificate() throws {
        let (application, session) = try Self.start()
        let trusted = try application.create(session, ObjectTests.certificate + Self.trusted)
        #expect(throws: CKError.actionProhibited) { try application.set(session, trusted, [(CKA_LABEL, [1])]) }
        #expect(throws: CKError.actionProhibited) { try application.set(session, trusted, [(CKA_TRUSTED, [0])]) }
        try Self.logIn(application, session)
        let copy = try application.copy(session, trusted, [(CKA_TOKEN, [1]), (CKA_LABEL, [2])])
        #expect(throws: CKError.actionProhibited) { try application.set(session, copy, [(CKA_LABEL, [1])]) }
        try application.library.closeAllSessions(with: 0)
        #expect(try application.find(application.open(), Self.trusted + [(CKA_LABEL, [2])]).count == 1)
    }

    @Test("C_EX_PKCS7VerifyInit takes trusted certificates from the token, and none of a session")
    func messages() throws {
        let (application, session) = try Self.start()
        let certificate = try application.create(session, ObjectTests.certificate + Self.trusted)
        try Self.logIn(application, session)
        func begin() throws {
            let store = MessageStore(trusted: [], certificates: [], revocationLists: [])
            try application.library.verifyMessageInit(
                session, [], trusting: store, mode: OPTIONAL_CRL_CHECK,
                flags: CKF_VENDOR_USE_TRUSTED_CERTS_FROM_TOKEN, time: 0)
        }
        // The certificate cannot be read, and the message neither.
        #expect(throws: CKError.dataInvalid) { try begin() }
        try application.copy(session, certificate, [(CKA_TOKEN, [1])])
        #expect(throws: CKError.argumentsBad) { try begin() }
    }

    @Test("what the token keeps is written by User alone, so the SO trusts nothing of it")
    func token() throws {
        let (application, session) = try Self.start()
        #expect(throws: CKError.userNotLoggedIn) {
            try application.create(session, ObjectTests.certificate + Self.trusted + [(CKA_TOKEN, [1])])
        }
        try Self.logIn(application, session)
        let key = try application.create(session, ObjectTests.rsaKey + Self.open + [(CKA_TOKEN, [1])])
        try Self.logIn(application, session, Self.officerPIN, as: CKU_SO)
        #expect(throws: CKError.userNotLoggedIn) { try application.set(session, key, Self.trusted) }
        #expect(try application.attributes(session, of: key)[CKA_TRUSTED] == [0])
    }
}
