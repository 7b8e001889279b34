// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing

@Suite("The profile Public Certificates Token", .usesGOSTEngine, .serialized)
struct PublicCertificatesTests {
    static let identities = ["usb", "bt"]

    private static func start(_ identity: String) throws -> Application {
        let (_, application, _) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        return application
    }

    /// Whether a program without a login finds the profile.
    private static func isMet(_ application: Application) throws -> Bool {
        try application.library.closeAllSessions(with: 0)
        let session = try application.open()
        let number = CKP_PUBLIC_CERTIFICATES_TOKEN.bytes
        let byNumber = try application.find(session, [(CKA_PROFILE_ID, number)])
        let byClass = try application.find(session, [(CKA_CLASS, CKO_PROFILE.bytes)])
        #expect(byClass.count == 3 + byNumber.count)
        return !byNumber.isEmpty
    }

    private static func logIn(_ application: Application) throws -> CK_SESSION_HANDLE {
        try application.library.closeAllSessions(with: 0)
        let session = try application.open()
        try application.logIn(session)
        return session
    }

    /// The only object of a class.
    private static func only(
        _ type: CK_OBJECT_CLASS, _ application: Application, _ session: CK_SESSION_HANDLE
    ) throws -> CK_OBJECT_HANDLE {
        let found = try application.find(session, [(CKA_CLASS, type.bytes)])
        #expect(found.count == 1)
        return try #require(found.first)
    }

    /// A certificate of the token's key pair, which another key has signed.
    private static func certify(_ application: Application, _ session: CK_SESSION_HANDLE) throws -> [UInt8] {
        let openssl = try OpenSSL()
        let key = try only(CKO_PUBLIC_KEY, application, session)
        let info = try application.attributes(session, of: key)[CKA_PUBLIC_KEY_INFO]
        try openssl.write(try #require(info), "key.pub")
        try openssl.run("req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout ca.key -out ca -subj /CN=ca")
        try openssl.run(
            "x509 -new -force_pubkey key.pub -subj /CN=user -CA ca -CAkey ca.key -set_serial 2 -outform DER -out user")
        return try openssl.read("user")
    }

    @Test(
        "is met by a token without certificates, and by one whose certificate has its key's identifier",
        arguments: identities)
    func met(_ identity: String) throws {
        let application = try Self.start(identity)
        #expect(try Self.isMet(application))
        var session = try Self.logIn(application)
        _ = try application.makeKeys(session)
        #expect(try Self.isMet(application))
        session = try Self.logIn(application)
        let certificate: ObjectTests.Template = [
            (CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_TOKEN, [1]), (CKA_ID, [1]),
            (CKA_VALUE, try Self.certify(application, session)),
        ]
        _ = try application.create(session, certificate)
        #expect(try Self.isMet(application))
        session = try Self.logIn(application)
        let found = try Self.only(CKO_CERTIFICATE, application, session)
        try application.set(session, found, [(CKA_ID, [9])])
        #expect(try !Self.isMet(application), "its key is there by another identifier")
    }

    @Test("is not met while a certificate is private, by login or without", arguments: identities)
    func privateCertificate(_ identity: String) throws {
        let application = try Self.start(identity)
        var session = try Self.logIn(application)
        let certificate = StoredObjectTests.certificate.filter { $0.0 != CKA_PRIVATE } + [(CKA_PRIVATE, [1])]
        _ = try application.create(session, certificate)
        #expect(try application.find(session, [(CKA_PROFILE_ID, CKP_PUBLIC_CERTIFICATES_TOKEN.bytes)]) == [])
        #expect(try !Self.isMet(application))
        session = try Self.logIn(application)
        try application.destroy(session, try Self.only(CKO_CERTIFICATE, application, session))
        #expect(try Self.isMet(application))
    }

    @Test("is met with certificates of keys that the token does not have", arguments: identities)
    func authorities(_ identity: String) throws {
        let application = try Self.start(identity)
        _ = try application.create(try Self.logIn(application), StoredObjectTests.certificate)
        #expect(try Self.isMet(application))
        _ = try application.makeKeys(try Self.logIn(application))
        #expect(try Self.isMet(application))
    }
}
