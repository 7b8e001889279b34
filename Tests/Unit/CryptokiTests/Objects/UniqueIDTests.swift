// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing

@Suite("Identifiers of objects, and profiles (PKCS #11 v3.0)", .serialized)
struct UniqueIDTests {
    typealias Template = ObjectTests.Template

    private static func id(
        _ application: Application, _ session: CK_SESSION_HANDLE, _ object: CK_OBJECT_HANDLE
    ) throws -> [UInt8] {
        try #require(try application.attributes(session, of: object)[CKA_UNIQUE_ID])
    }

    /// Objects of every kind, two of each that say the same.
    private static func makeObjects(
        _ application: Application, _ session: CK_SESSION_HANDLE, _ place: Template
    ) throws -> [CK_OBJECT_HANDLE] {
        var objects: [CK_OBJECT_HANDLE] = []
        for template in ObjectTests.all + ObjectTests.all {
            objects.append(try application.create(session, template + place))
        }
        let (p256, bits) = (ECTests.p256, CK_ULONG(1024).bytes)
        let pairs: [(CK_MECHANISM_TYPE, Template)] = [
            (CKM_GOSTR3410_KEY_PAIR_GEN, []), (CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, p256)]),
            (CKM_RSA_PKCS_KEY_PAIR_GEN, [(CKA_MODULUS_BITS, bits)]),
        ]
        for (mechanism, own) in pairs {
            let templates = (try Attributes(template: own + place), try Attributes(template: place))
            let keys = try application.library.withSession(session) { session throws(CKError) in
                try session.generateKeyPair(
                    Mechanism(type: mechanism, parameter: []), publicTemplate: templates.0,
                    privateTemplate: templates.1)
            }
            objects += [keys.0, keys.1]
        }
        return objects
    }

    @Test("each object has an identifier of its own, by which it is found, and which nobody sets", arguments: [0, 1])
    func unique(_ isToken: UInt8) throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let place: Template = [(CKA_TOKEN, [isToken])]
        var objects = try Self.makeObjects(application, session, place)
        objects.append(try application.copy(session, objects[0], []))
        var ids: Set<[UInt8]> = []
        for object in objects {
            let id = try Self.id(application, session, object)
            #expect(id.count == 32 && id.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            #expect(try application.find(session, [(CKA_UNIQUE_ID, id)]) == [object])
            #expect(throws: CKError.attributeReadOnly) { try application.set(session, object, [(CKA_UNIQUE_ID, id)]) }
            ids.insert(id)
        }
        #expect(ids.count == objects.count)
        let id: Template = [(CKA_UNIQUE_ID, Array("1".utf8))]
        for template in ObjectTests.all {
            #expect(throws: CKError.attributeReadOnly) { try application.create(session, template + place + id) }
        }
        #expect(throws: CKError.attributeReadOnly) { try application.copy(session, objects[0], id) }
        for (publicKey, privateKey) in [(id, []), ([], id)] {
            let templates = (try Attributes(template: publicKey), try Attributes(template: privateKey))
            #expect(throws: CKError.attributeReadOnly) {
                try application.library.withSession(session) { session throws(CKError) in
                    _ = try session.generateKeyPair(
                        Mechanism(type: CKM_GOSTR3410_KEY_PAIR_GEN, parameter: []), publicTemplate: templates.0,
                        privateTemplate: templates.1)
                }
            }
        }
        #expect(try application.find(session).count == objects.count)
    }

    @Test("an object of the token keeps its identifier through changes and for later sessions")
    func stable() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let objects = try Self.makeObjects(application, session, [(CKA_TOKEN, [1])])
        let ids = Set(try objects.map { try Self.id(application, session, $0) })
        var later = session
        for round in 1...3 as ClosedRange<UInt8> {
            for object in try application.find(later) {
                let id = try Self.id(application, later, object)
                try application.set(later, object, [(CKA_LABEL, [round])])
                #expect(try Self.id(application, later, object) == id)
            }
            try application.library.closeAllSessions(with: 0)
            later = try application.open()
            let open = try application.find(later).map { try Self.id(application, later, $0) }
            #expect(open.count > 5 && Set(open).count == open.count && ids.isSuperset(of: open))
            try application.logIn(later)
            let found = try application.find(later).map { try Self.id(application, later, $0) }
            #expect(found.count == objects.count && Set(found) == ids)
        }
    }

    @Test("what comes after a deleted object has another identifier")
    func successor() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        var ids: Set<[UInt8]> = []
        for _ in 0..<5 {
            let keys = try application.makeKeys(session)
            let certificate = try application.create(session, ObjectTests.certificate + [(CKA_TOKEN, [1])])
            for object in [keys.publicKey, keys.privateKey, certificate] {
                ids.insert(try Self.id(application, session, object))
                try application.destroy(session, object)
            }
        }
        #expect(ids.count == 15)
    }

    @Test("the profiles that are met are found by who asks for them, before login, and by nobody else")
    func profiles() throws {
        let application = Application(try EmulatedReader(.usb), store: Folder())
        let session = try application.open()
        let profiles = try application.find(session, [(CKA_CLASS, CKO_PROFILE.bytes)])
        let attributes = try profiles.map { try application.attributes(session, of: $0) }
        #expect(
            try attributes.map { try $0.number(CKA_PROFILE_ID) }
                == [
                    CKP_BASELINE_PROVIDER, CKP_EXTENDED_PROVIDER, CKP_AUTHENTICATION_TOKEN,
                    CKP_PUBLIC_CERTIFICATES_TOKEN,
                ])
        #expect(Set(attributes.map { $0[CKA_UNIQUE_ID] }).count == 4)
        for (object, attributes) in zip(profiles, attributes) {
            for (type, value) in [(CKA_TOKEN, true), (CKA_PRIVATE, false), (CKA_MODIFIABLE, false)] {
                #expect(try attributes.bool(type) == value)
            }
            let number = attributes[CKA_PROFILE_ID] ?? []
            #expect(try application.find(session, [(CKA_PROFILE_ID, number)]) == [object])
            #expect(throws: CKError.actionProhibited) { try application.set(session, object, [(CKA_LABEL, [1])]) }
            #expect(throws: CKError.actionProhibited) { try application.copy(session, object, []) }
            #expect(throws: CKError.actionProhibited) { try application.destroy(session, object) }
        }
        for template: Template in [[], [(CKA_TOKEN, [1])], [(CKA_PRIVATE, [0])]] {
            #expect(try application.find(session, template) == [])
        }
        #expect(throws: CKError.attributeValueInvalid) {
            try application.create(session, [(CKA_CLASS, CKO_PROFILE.bytes), (CKA_PROFILE_ID, CK_ULONG(1).bytes)])
        }
    }
}
