import CCryptoki
import Cryptoki
import Emulator
import TestSupport
import Testing

@Suite("Certificates and data on the token, on both identities", .serialized)
struct StoredObjectTests {
    static let identities = ["usb", "bt"]

    /// A certificate as far as its names: serial number 5, issuer and subject with one attribute each.
    static let value = [UInt8](hex: "302F302DA0030201020201053000\(issuer)3000\(subject)3000")
    private static let issuer = "300F310D300B06035504030C0449737375"
    private static let subject = "300C310A300806035504030C0153"

    static let certificate: ObjectTests.Template = [
        (CKA_CLASS, CKO_CERTIFICATE.octets), (CKA_ID, [1, 2]), (CKA_TOKEN, [1]), (CKA_PRIVATE, [0]),
        (CKA_VALUE, value), (CKA_CERTIFICATE_CATEGORY, CK_ULONG(1).octets),
    ]
    static let data: ObjectTests.Template = [
        (CKA_CLASS, CKO_DATA.octets), (CKA_TOKEN, [1]), (CKA_LABEL, [3]), (CKA_APPLICATION, [4]), (CKA_VALUE, [5]),
    ]

    private static func start(_ identity: String) throws -> (EmulatedReader, Application, CK_SESSION_HANDLE) {
        try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
    }

    @Test("what is stored is found with its names by a later session, before any login", arguments: identities)
    func certificate(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let made = try application.create(session, Self.certificate)
        #expect(try application.find(session) == [made])
        try application.library.closeSession(session)
        let later = try application.open()
        let found = try #require(try application.find(later).first)
        let attributes = try application.attributes(later, of: found)
        #expect(attributes[CKA_VALUE] == Self.value)
        #expect(attributes[CKA_ID] == [1, 2])
        #expect(attributes[CKA_SERIAL_NUMBER] == [2, 1, 5])
        #expect(attributes[CKA_ISSUER] == [UInt8](hex: Self.issuer))
        #expect(attributes[CKA_SUBJECT] == [UInt8](hex: Self.subject))
        #expect(try attributes.bool(CKA_TOKEN) == true)
        #expect(throws: CKError.userNotLoggedIn) { try application.destroy(later, found) }
        try application.logIn(later)
        try application.destroy(later, found)
        #expect(try application.find(later).isEmpty)
    }

    @Test("label and identifier of a certificate can be changed, and it keeps its handle", arguments: identities)
    func change(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let object = try application.create(session, Self.certificate)
        try application.set(session, object, [(CKA_LABEL, [7]), (CKA_ID, [8])])
        #expect(try application.find(session, [(CKA_LABEL, [7]), (CKA_ID, [8])]) == [object])
        #expect(try application.find(session) == [object])
        #expect(throws: CKError.attributeReadOnly) { try application.set(session, object, [(CKA_VALUE, [])]) }
        // The record has no place for dates.
        #expect(throws: CKError.attributeReadOnly) {
            try application.set(session, object, [(CKA_START_DATE, Array("20260101".utf8))])
        }
        let readOnly = try application.library.openSession(with: 0, flags: CKF_SERIAL_SESSION)
        #expect(throws: CKError.sessionReadOnly) { try application.set(readOnly, object, [(CKA_LABEL, [1])]) }
        #expect(throws: CKError.sessionReadOnly) { try application.destroy(readOnly, object) }
    }

    @Test("private data are seen by User only", arguments: identities)
    func privacy(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let open = try application.create(session, Self.data)
        let hidden = try application.create(session, Self.data + [(CKA_PRIVATE, [1])])
        #expect(try application.find(session) == [open, hidden])
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(try application.find(session) == [open])
        try application.logIn(session)
        #expect(try application.find(session).count == 2)
    }

    @Test("what the token has no place for is refused, and nothing is stored")
    func places() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let refused: [ObjectTests.Template] = [
            ObjectTests.secretKey + [(CKA_TOKEN, [1])], ObjectTests.rsaKey + [(CKA_TOKEN, [1])],
            Self.data + [(CKA_MODIFIABLE, [0])], Self.certificate + [(CKA_URL, [1])],
        ]
        for template in refused {
            #expect(throws: CKError.templateInconsistent) { try application.create(session, template) }
        }
        #expect(try application.find(session).isEmpty)
    }

    @Test("copies go from session to token and back")
    func copies() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let original = try application.create(session, ObjectTests.data)
        let stored = try application.copy(session, original, [(CKA_TOKEN, [1]), (CKA_LABEL, [1])])
        let back = try application.copy(session, stored, [(CKA_TOKEN, [0])])
        for copy in [stored, back] {
            let attributes = try application.attributes(session, of: copy)
            #expect(attributes[CKA_VALUE] == [1, 2, 3])
            #expect(attributes[CKA_LABEL] == [1])
        }
        try application.library.closeSession(session)
        #expect(try application.find(application.open()).count == 1)
    }
}
