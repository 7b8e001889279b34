// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Objects of a session", .serialized)
struct ObjectTests {
    typealias Template = [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])]

    static let data: Template = [(CKA_CLASS, CKO_DATA.bytes), (CKA_VALUE, [1, 2, 3])]
    static let certificate: Template = [(CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_VALUE, [0x30, 0])]
    static let rsaKey: Template = [
        (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_KEY_TYPE, CKK_RSA.bytes),
        (CKA_MODULUS, [0x40] + [UInt8](repeating: 1, count: 64)), (CKA_PUBLIC_EXPONENT, [1, 0, 1]),
    ]
    /// The generator of P-256 (FIPS 186-4, D.1.2.3).
    private static let generator = [UInt8](
        hex: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
            + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    static let ecKey: Template = [
        (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_KEY_TYPE, CKK_EC.bytes),
        (CKA_EC_PARAMS, [UInt8](hex: "06082A8648CE3D030107")), (CKA_EC_POINT, [4, 65, 4] + generator),
    ]
    static let secretKey: Template = [
        (CKA_CLASS, CKO_SECRET_KEY.bytes), (CKA_KEY_TYPE, CKK_MAGMA.bytes),
        (CKA_VALUE, [UInt8](repeating: 7, count: 32)),
    ]
    static let privateKey: Template = [
        (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CKK_GOSTR3410.bytes),
        (CKA_GOSTR3410_PARAMS, Curve.cryptoProA.oid), (CKA_VALUE, [UInt8](repeating: 7, count: 32)),
    ]
    static let all = [data, certificate, rsaKey, ecKey, secretKey, privateKey]

    @Test("what a template says is what the object has, with the defaults of its class", arguments: all)
    func attributes(_ template: Template) throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let object = try application.create(session, template)
        let attributes = try application.attributes(session, of: object)
        for (type, value) in template where !Session.isSensitive(type, in: attributes) {
            #expect(attributes[type] == value)
        }
        for type in [CKA_MODIFIABLE, CKA_COPYABLE, CKA_DESTROYABLE] { #expect(try attributes.bool(type) == true) }
        #expect(try attributes.bool(CKA_TOKEN) == false)
        #expect(attributes[CKA_LABEL] == [])
        #expect(try application.find(session, template.filter { $0.type != CKA_VALUE }) == [object])
        #expect(try application.size(session, object) > 12)
    }

    @Test("C_CreateObject says which of its rules a template breaks")
    func templates() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let cases: [(Template, CKError)] = [
            ([], .templateIncomplete),
            ([(CKA_CLASS, [0])], .attributeValueInvalid),
            ([(CKA_CLASS, CK_ULONG(99).bytes)], .attributeValueInvalid),
            ([(CKA_CLASS, CKO_CERTIFICATE.bytes)], .templateIncomplete),
            ([(CKA_CLASS, CKO_SECRET_KEY.bytes)], .templateIncomplete),
            // A type that no key has, and one that keys of other classes have.
            ([(CKA_CLASS, CKO_SECRET_KEY.bytes), (CKA_KEY_TYPE, CK_ULONG(0xFFFF).bytes)], .attributeValueInvalid),
            ([(CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_KEY_TYPE, CK_ULONG(0xFFFF).bytes)], .attributeValueInvalid),
            ([(CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CK_ULONG.max.bytes)], .attributeValueInvalid),
            ([(CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CKK_AES.bytes)], .templateInconsistent),
            ([(CKA_CLASS, CKO_SECRET_KEY.bytes), (CKA_KEY_TYPE, CKK_RSA.bytes)], .templateInconsistent),
            (Self.data + [(CKA_MODULUS, [1])], .attributeTypeInvalid),
            (Self.data + [(CKA_PRIVATE, [1, 0])], .attributeValueInvalid),
            (Self.data + [(CKA_VALUE, [9])], .templateInconsistent),
            (Self.certificate + [(CKA_START_DATE, [1])], .attributeValueInvalid),
            (Self.certificate + [(CKA_TRUSTED, [1])], .attributeReadOnly),
            (Self.certificate + [(CKA_CERTIFICATE_CATEGORY, CK_ULONG(4).bytes)], .attributeValueInvalid),
            (Self.certificate + [(CKA_CHECK_VALUE, [1, 2, 3])], .attributeValueInvalid),
            (Array(Self.certificate.dropLast()) + [(CKA_VALUE, [])], .templateInconsistent),
            (Array(Self.rsaKey.dropLast()), .templateIncomplete),
            (Self.rsaKey + [(CKA_MODULUS_BITS, CK_ULONG(511).bytes)], .attributeReadOnly),
            (Array(Self.ecKey.dropLast()) + [(CKA_EC_POINT, [4, 65, 4])], .attributeValueInvalid),
            (Array(Self.secretKey.dropLast()) + [(CKA_VALUE, [7])], .attributeValueInvalid),
            (Self.secretKey + [(CKA_LOCAL, [1])], .attributeReadOnly),
            (Self.secretKey + [(CKA_VALUE_LEN, CK_ULONG(32).bytes)], .attributeReadOnly),
            (Array(Self.ecKey.dropLast()) + [(CKA_EC_POINT, [4, 65, 4] + [UInt8](1...64))], .attributeValueInvalid),
            (Self.privateKey + [(CKA_ALWAYS_SENSITIVE, [1])], .attributeReadOnly),
            (Array(Self.privateKey.dropLast()) + [(CKA_VALUE, [])], .attributeValueInvalid),
        ]
        for (template, error) in cases {
            #expect(throws: error, "\(template)") { try application.create(session, template) }
        }
        #expect(try application.find(session).isEmpty)
    }

    @Test("numbers follow from the values: bits of a modulus, bytes of a secret key")
    func derived() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.create(session, Self.rsaKey)
        #expect(try application.attributes(session, of: key).number(CKA_MODULUS_BITS) == 519)
        let secret = try application.create(session, Self.secretKey)
        #expect(try application.attributes(session, of: secret).number(CKA_VALUE_LEN) == 32)
    }

    @Test("a created private key signs what the created public key verifies, whichever form that came in")
    func gostKeys() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let privateKey = try application.create(session, Self.privateKey)
        let value = try Self.publicValue()
        let digest = [UInt8](repeating: 3, count: 32)
        let signature = try application.sign(session, privateKey, digest, CKM_GOSTR3410)
        for value in [value, [0x04, 0x40] + value] {
            let publicKey = try application.create(
                session,
                [(CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_GOSTR3410_PARAMS, Curve.cryptoProA.oid), (CKA_VALUE, value)])
            try application.verify(session, publicKey, digest, signature, CKM_GOSTR3410)
            let attributes = try application.attributes(session, of: publicKey)
            #expect(attributes[CKA_VALUE]?.count == 64)
            #expect(try attributes.number(CKA_KEY_TYPE) == CKK_GOSTR3410)
        }
    }

    /// The public key of ``privateKey``.
    private static func publicValue() throws -> [UInt8] {
        let key = try PrivateKey(curve: .cryptoProA, scalar: .init(copying: [UInt8](repeating: 7, count: 32)))
        return try key.publicKey().bytes
    }

    @Test("only User makes and sees private objects, and they end with the login")
    func privacy() throws {
        let application = Application(try EmulatedReader(.usb), store: Folder())
        let session = try application.open()
        let hidden: Template = Self.data + [(CKA_PRIVATE, [1])]
        #expect(throws: CKError.userNotLoggedIn) { try application.create(session, hidden) }
        #expect(throws: CKError.userNotLoggedIn) { try application.create(session, Self.secretKey) }
        try application.logIn(session)
        let object = try application.create(session, hidden)
        let open = try application.create(session, Self.data)
        #expect(try application.find(session) == [object, open])
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(throws: CKError.objectHandleInvalid) { try application.attributes(session, of: object) }
        #expect(try application.find(session) == [open])
    }

    @Test("a session for reading makes session objects only; they end with it, and every session sees them")
    func readOnly() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let readOnly = try application.library.openSession(with: 0, flags: CKF_SERIAL_SESSION)
        #expect(throws: CKError.sessionReadOnly) {
            try application.create(readOnly, Self.data + [(CKA_TOKEN, [1])])
        }
        let object = try application.create(readOnly, Self.data)
        #expect(try application.find(session) == [object])
        try application.library.closeSession(readOnly)
        #expect(throws: CKError.objectHandleInvalid) { try application.attributes(session, of: object) }
    }

    @Test("a secret key's value shows only while the key is neither sensitive nor kept in, and there is no way back")
    func sensitivity() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        for (type, value) in [(CKA_SENSITIVE, UInt8(1)), (CKA_EXTRACTABLE, UInt8(0))] {
            let key = try application.create(session, Self.secretKey)
            #expect(try application.attributes(session, of: key)[CKA_VALUE]?.count == 32)
            try application.set(session, key, [(type, [value])])
            let attributes = try application.attributes(session, of: key)
            #expect(attributes[CKA_VALUE] == nil)
            #expect(Session.isSensitive(CKA_VALUE, in: attributes))
            #expect(throws: CKError.attributeReadOnly) { try application.set(session, key, [(type, [1 - value])]) }
            #expect(throws: CKError.attributeReadOnly) { try application.copy(session, key, [(type, [1 - value])]) }
            for type in [CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] { #expect(try attributes.bool(type) == false) }
        }
    }
}
