// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import HostCrypto
import TestSupport
import Testing

@Suite("Certificates and data on the token, on both identities", .serialized)
struct StoredObjectTests {
    static let identities = ["usb", "bt"]

    /// A certificate as far as its names: serial number 5, issuer and subject with one attribute each.
    static let value = [UInt8](hex: "30343032A0030201020201053000\(issuer)3000\(subject)\(publicKeyInfo)")
    private static let issuer = "300F310D300B06035504030C0449737375"
    private static let subject = "300C310A300806035504030C0153"
    /// An empty algorithm and an empty key.
    private static let publicKeyInfo = "30053000030100"

    static let certificate: ObjectTests.Template = [
        (CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_ID, [1, 2]), (CKA_TOKEN, [1]), (CKA_PRIVATE, [0]),
        (CKA_VALUE, value), (CKA_CERTIFICATE_CATEGORY, CK_ULONG(1).bytes),
    ]
    static let data: ObjectTests.Template = [
        (CKA_CLASS, CKO_DATA.bytes), (CKA_TOKEN, [1]), (CKA_LABEL, [3]), (CKA_APPLICATION, [4]), (CKA_VALUE, [5]),
    ]

    static let rsaKey: ObjectTests.Template = [
        (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_KEY_TYPE, CKK_RSA.bytes),
        (CKA_MODULUS, [UInt8](repeating: 0xC1, count: 64)), (CKA_PUBLIC_EXPONENT, [1, 0, 1]),
    ]
    /// The base point of P-256 (FIPS 186-4, D.1.2.3).
    static let ecKey: ObjectTests.Template = [
        (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_KEY_TYPE, CKK_EC.bytes),
        (CKA_EC_PARAMS, [UInt8](hex: "06082A8648CE3D030107")),
        (
            CKA_EC_POINT,
            [UInt8](
                hex: "0441046B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296"
                    + "4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5")
        ),
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
        #expect(attributes[CKA_PUBLIC_KEY_INFO] == [UInt8](hex: Self.publicKeyInfo))
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
        // The vendor's record has no place for dates.
        let date = Array("20260101".utf8)
        try application.set(session, object, [(CKA_START_DATE, date)])
        #expect(try application.find(session, [(CKA_START_DATE, date), (CKA_LABEL, [7])]) == [object])
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

    @Test(
        "whatever a template says is kept, seen by the next application, and deleted with the object",
        arguments: identities)
    func attributes(_ identity: String) throws {
        let (reader, application, session) = try Self.start(identity)
        let templates: [ObjectTests.Template] = [
            Self.data + [(CKA_MODIFIABLE, [0])], Self.certificate + [(CKA_URL, [1]), (CKA_MODIFIABLE, [0])],
            Self.rsaKey + [(CKA_TOKEN, [1]), (CKA_WRAP, [1]), (CKA_SUBJECT, [0x30, 0])],
            Self.ecKey + [(CKA_TOKEN, [1]), (CKA_PRIVATE, [1])],
            ObjectTests.secretKey + [(CKA_TOKEN, [1]), (CKA_SENSITIVE, [1]), (CKA_SIGN, [0]), (CKA_ID, [9])],
        ]
        let made = try templates.map { try application.create(session, $0) }
        let expected = try made.map { try application.attributes(session, of: $0) }
        #expect(try application.find(session) == made)
        try application.library.closeAllSessions(with: 0)
        let later = try application.open()
        try application.logIn(later)
        let found = try application.find(later)
        #expect(try found.map { try application.attributes(later, of: $0) }.containsSameElements(as: expected))
        for template in templates.dropLast() { #expect(try application.find(later, template).count == 1) }
        for object in found { try application.destroy(later, object) }
        #expect(try application.find(later).isEmpty)
        #expect(identity == "bt" || reader.recordFiles == 0)
    }

    @Test("that nobody vouches for a certificate can be said, as can its category and its check value")
    func certificateRules() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        // The first bytes of SHA-1.
        let check = try Digest.digest(Self.value.span, .sha1).prefix(3)
        let template: ObjectTests.Template = Self.certificate + [(CKA_TRUSTED, [0]), (CKA_CHECK_VALUE, Array(check))]
        let object = try application.create(session, template)
        #expect(try application.find(session, template) == [object])
        #expect(throws: CKError.attributeReadOnly) {
            try application.create(session, Self.certificate + [(CKA_TRUSTED, [1])])
        }
    }

    @Test("a certificate has a check value that its template left out, and is found by it", arguments: identities)
    func checkValue(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let check = Array(try Digest.digest(Self.value.span, .sha1).prefix(3))
        var made: [CK_OBJECT_HANDLE] = []
        for place in [UInt8(0), 1] {
            let template = Self.certificate.filter { $0.type != CKA_TOKEN } + [(CKA_TOKEN, [place])]
            made.append(try application.create(session, template))
            // Who wants none says so (4.10.2).
            let without = try application.create(session, template + [(CKA_CHECK_VALUE, [])])
            #expect(try application.attributes(session, of: without)[CKA_CHECK_VALUE] == [])
        }
        for object in made { #expect(try application.attributes(session, of: object)[CKA_CHECK_VALUE] == check) }
        let wanted: ObjectTests.Template = [(CKA_CHECK_VALUE, check)]
        #expect(try application.find(session, wanted).sorted() == made.sorted())
        #expect(try application.find(session, [(CKA_CHECK_VALUE, [9, 9, 9])]).isEmpty)
        // The token tells it by the certificate itself.
        try application.library.closeSession(session)
        let later = try application.open()
        let found = try application.find(later, wanted)
        #expect(found.count == 1)
        let alone = try application.library.withSession(later) { session throws(CKError) in
            try session.attributes(of: found[0], types: [CKA_CHECK_VALUE])
        }
        #expect(alone[CKA_CHECK_VALUE] == check)
    }

    @Test("an object that cannot be modified keeps its attributes")
    func fixed() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let object = try application.create(session, Self.certificate + [(CKA_MODIFIABLE, [0])])
        #expect(throws: CKError.actionProhibited) { try application.set(session, object, [(CKA_LABEL, [1])]) }
    }

    @Test("a private certificate is hidden, and the card itself gives it to User only")
    func privateCertificate() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let template = Self.certificate.filter { $0.type != CKA_PRIVATE } + [(CKA_PRIVATE, [1])]
        let object = try application.create(session, template)
        #expect(try application.attributes(session, of: object).bool(CKA_PRIVATE) == true)
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(try application.find(session).isEmpty)
        #expect(throws: CKError.objectHandleInvalid) { try application.attributes(session, of: object) }
        try application.logIn(session)
        #expect(try application.find(session, template).count == 1)
    }

    @Test("a secret key of the token computes what its value says, later too", arguments: identities)
    func secretKey(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let kept = try application.create(session, ObjectTests.secretKey + [(CKA_TOKEN, [1]), (CKA_ID, [1])])
        let copy = try application.copy(session, kept, [(CKA_TOKEN, [0])])
        let message = Array("message".utf8)
        let code = try application.sign(session, copy, message, CKM_MAGMA_MAC)
        #expect(try application.sign(session, kept, message, CKM_MAGMA_MAC) == code)
        #expect(try application.attributes(session, of: kept)[CKA_VALUE] == [UInt8](repeating: 7, count: 32))
        try application.set(session, kept, [(CKA_SENSITIVE, [1])])
        try application.library.closeAllSessions(with: 0)
        let later = try application.open()
        #expect(try application.find(later).isEmpty)
        try application.logIn(later)
        let found = try #require(try application.find(later).first)
        #expect(try application.sign(later, found, message, CKM_MAGMA_MAC) == code)
        #expect(try application.attributes(later, of: found)[CKA_VALUE] == nil)
    }

    @Test("a secret key is found by its value while that may be read, and not after", arguments: identities)
    func searchByValue(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let value: ObjectTests.Template = [(CKA_VALUE, [UInt8](repeating: 7, count: 32))]
        for place in [UInt8(0), 1] {
            let key = try application.create(session, ObjectTests.secretKey + [(CKA_TOKEN, [place])])
            let other = try application.create(
                session, Self.data.filter { $0.type != CKA_TOKEN } + [(CKA_TOKEN, [place])])
            #expect(try application.find(session, value) == [key])
            #expect(try application.find(session, value + [(CKA_CLASS, CKO_SECRET_KEY.bytes)]) == [key])
            #expect(try application.find(session, value + [(CKA_CLASS, CKO_DATA.bytes)]).isEmpty)
            #expect(try application.find(session, [(CKA_VALUE, [UInt8](repeating: 8, count: 32))]).isEmpty)
            try application.set(session, key, [(CKA_SENSITIVE, [1])])
            #expect(try application.find(session, value).isEmpty)
            #expect(try application.find(session, [(CKA_VALUE, [5])]) == [other])
            try application.destroy(session, other)
        }
    }

    @Test("the token is asked for a key's value only by who wants to know it")
    func valueOnDemand() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.create(session, ObjectTests.secretKey + [(CKA_TOKEN, [1])])
        func attributes(_ types: [CK_ATTRIBUTE_TYPE]?) throws -> (Attributes, commands: Int) {
            let before = reader.commands
            let attributes = try application.library.withSession(session) { session throws(CKError) in
                try session.attributes(of: key, types: types)
            }
            return (attributes, reader.commands - before)
        }
        let (some, none) = try attributes([CKA_LABEL, CKA_CHECK_VALUE])
        #expect(none == 0 && some[CKA_LABEL] == [] && some[CKA_CHECK_VALUE]?.count == 3)
        for types in [nil, [CKA_LABEL, CKA_VALUE]] as [[CK_ATTRIBUTE_TYPE]?] {
            let (all, commands) = try attributes(types)
            #expect(commands > 0 && all[CKA_VALUE] == [UInt8](repeating: 7, count: 32))
        }
    }

    @Test("a secret key is made on the token")
    func generation() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let template = try Attributes(template: [(CKA_TOKEN, [1]), (CKA_LABEL, [5])])
        let key = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKey(Mechanism(type: CKM_GOST28147_KEY_GEN, parameter: []), template: template)
        }
        let code = try application.sign(session, key, [1], CKM_GOST28147_MAC)
        try application.library.closeSession(session)
        let later = try application.open()
        try application.logIn(later)
        let found = try #require(try application.find(later, [(CKA_LABEL, [5]), (CKA_LOCAL, [1])]).first)
        #expect(try application.sign(later, found, [1], CKM_GOST28147_MAC) == code)
    }

    @Test("label, identifier, subject and dates of a key pair of the token are kept", arguments: identities)
    func keyAttributes(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let keys = try application.makeKeys(session)
        let changes: ObjectTests.Template = [
            (CKA_LABEL, [6]), (CKA_ID, [7, 7]), (CKA_SUBJECT, [0x30, 0]), (CKA_START_DATE, Array("20260101".utf8)),
        ]
        for key in [keys.publicKey, keys.privateKey] { try application.set(session, key, changes) }
        #expect(try application.find(session, changes) == [keys.publicKey, keys.privateKey])
        #expect(throws: CKError.attributeReadOnly) {
            try application.set(session, keys.privateKey, [(CKA_DERIVE, [1])])
        }
        try application.library.closeSession(session)
        let later = try application.open()
        try application.logIn(later)
        let found = try application.find(later, changes)
        #expect(found.count == 2)
        let digest = [UInt8](repeating: 1, count: 32)
        let signature = try application.sign(later, found[1], digest, CKM_GOSTR3410)
        try application.verify(later, found[0], digest, signature, CKM_GOSTR3410)
        for key in found { try application.destroy(later, key) }
        #expect(try application.find(later).isEmpty)
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

extension EmulatedReader {
    /// The files of records in a token without a channel.
    fileprivate var recordFiles: Int {
        var count = 0
        _ = card.process([0x00, 0xA4, 0x08, 0x00, 4, 0x10, 0x00, 0x10, 0x01, 0x00])
        var answer = card.process([0x00, 0xA4, 0x00, 0x00, 0x00])
        while let place = answer.firstRange(of: [0x83, 0x02])?.upperBound, answer.count > place + 1, count < 100 {
            let file = Array(answer[place...place + 1])
            if file[0] < 0x7E { count += file == [0x10, 0x01] ? 0 : 1 }
            answer = card.process([0x00, 0xA4, 0x00, 0x02, 2] + file + [0x00])
        }
        return count
    }
}

extension [Attributes] {
    fileprivate func containsSameElements(as other: [Attributes]) -> Bool {
        count == other.count
            && allSatisfy { element in
                filter { $0 == element }.count == other.filter { $0 == element }.count
            }
    }
}
