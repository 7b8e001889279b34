// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing

@Suite("Copies and changes of objects", .serialized)
struct ObjectChangeTests {
    @Test("C_SetAttributeValue changes all attributes of its template, or none")
    func change() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let object = try application.create(session, ObjectTests.data)
        try application.set(session, object, [(CKA_LABEL, [5]), (CKA_VALUE, [])])
        #expect(try application.attributes(session, of: object)[CKA_LABEL] == [5])
        let cases: [(ObjectTests.Template, CKError)] = [
            ([(CKA_LABEL, [6]), (CKA_CLASS, CKO_DATA.bytes)], .attributeReadOnly),
            ([(CKA_LABEL, [6]), (CKA_MODULUS, [])], .attributeTypeInvalid),
            ([(CKA_LABEL, [6]), (CKA_COPYABLE, [2])], .attributeValueInvalid),
            ([(CKA_LABEL, [6]), (CKA_TOKEN, [1])], .attributeReadOnly),
            ([(CKA_LABEL, [6]), (CKA_PRIVATE, [1])], .attributeReadOnly),
        ]
        for (template, error) in cases {
            #expect(throws: error) { try application.set(session, object, template) }
        }
        let attributes = try application.attributes(session, of: object)
        #expect(attributes[CKA_LABEL] == [5])
        #expect(attributes[CKA_VALUE] == [])
    }

    @Test("what another application deletes is gone for the one that has made it since its last search")
    func others() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        #expect(try application.find(session).isEmpty)
        let object = try application.create(session, ObjectTests.data + [(CKA_TOKEN, [1])])
        let other = Application(reader, store: Folder())
        let second = try other.open()
        try other.logIn(second)
        for found in try other.find(second) { try other.destroy(second, found) }
        #expect(try application.find(session).isEmpty)
        #expect(throws: CKError.objectHandleInvalid) { try application.attributes(session, of: object) }
    }

    @Test("a copy has the original's attributes, but for those that its template changes", arguments: ObjectTests.all)
    func copy(_ template: ObjectTests.Template) throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let original = try application.create(session, template)
        let copy = try application.copy(session, original, [(CKA_LABEL, [9]), (CKA_PRIVATE, [1])])
        var expected = try application.attributes(session, of: original)
        expected[CKA_LABEL] = [9]
        expected[CKA_PRIVATE] = [1]
        let attributes = try application.attributes(session, of: copy)
        #expect(attributes[CKA_UNIQUE_ID] != expected[CKA_UNIQUE_ID])
        expected[CKA_UNIQUE_ID] = attributes[CKA_UNIQUE_ID]
        #expect(attributes == expected)
        try application.destroy(session, original)
        #expect(try application.find(session) == [copy])
    }

    @Test("CKA_MODIFIABLE, CKA_COPYABLE and CKA_DESTROYABLE forbid what they are named after")
    func prohibitions() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let fixed = try application.create(session, ObjectTests.data + [(CKA_MODIFIABLE, [0])])
        #expect(throws: CKError.actionProhibited) { try application.set(session, fixed, [(CKA_LABEL, [1])]) }
        let unique = try application.create(session, ObjectTests.data)
        try application.set(session, unique, [(CKA_COPYABLE, [0])])
        #expect(throws: CKError.attributeReadOnly) { try application.set(session, unique, [(CKA_COPYABLE, [1])]) }
        #expect(throws: CKError.actionProhibited) { try application.copy(session, unique, []) }
        let lasting = try application.create(session, ObjectTests.data + [(CKA_DESTROYABLE, [0])])
        #expect(throws: CKError.actionProhibited) { try application.destroy(session, lasting) }
        // A copy may differ from its original (PKCS #11 v2.40, 4.4.1).
        let copy = try application.copy(session, lasting, [(CKA_DESTROYABLE, [1])])
        try application.destroy(session, copy)
    }

    @Test("a private object has no public copy, and what the token says of itself no copy at all")
    func forbiddenCopies() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.create(session, ObjectTests.secretKey)
        #expect(throws: CKError.templateInconsistent) { try application.copy(session, key, [(CKA_PRIVATE, [0])]) }
        let features = try #require(try application.find(session, [(CKA_CLASS, CKO_HW_FEATURE.bytes)]).first)
        #expect(throws: CKError.actionProhibited) { try application.copy(session, features, []) }
        #expect(throws: CKError.actionProhibited) { try application.set(session, features, [(CKA_LABEL, [1])]) }
        #expect(throws: CKError.actionProhibited) { try application.destroy(session, features) }
    }

    @Test("a public key of the token can be copied into a session, its private key cannot")
    func tokenKeys() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let keys = try application.makeKeys(session)
        let copy = try application.copy(session, keys.publicKey, [(CKA_TOKEN, [0])])
        let digest = [UInt8](repeating: 3, count: 32)
        let signature = try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410)
        try application.destroy(session, keys.publicKey)
        try application.verify(session, copy, digest, signature, CKM_GOSTR3410)
        #expect(throws: CKError.actionProhibited) {
            try application.copy(session, keys.privateKey, [(CKA_TOKEN, [0])])
        }
    }

    @Test("a search gives no object that is gone meanwhile, and still as many as asked for")
    func search() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let objects = try (0..<4).map { _ in try application.create(session, ObjectTests.data) }
        let hidden = try application.create(session, ObjectTests.secretKey)
        func next() throws -> [CK_OBJECT_HANDLE] {
            try application.library.withSession(session) { session throws(CKError) in
                try session.findObjects(limit: 2)
            }
        }
        try application.library.withSession(session) { session throws(CKError) in
            try session.findObjectsInit(Attributes())
        }
        for index in [0, 2] { try application.destroy(session, objects[index]) }
        #expect(try next() == [objects[1], objects[3]])
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(try next().isEmpty)
        #expect(throws: CKError.objectHandleInvalid) { try application.attributes(session, of: hidden) }
    }

    @Test("a key of the token that is destroyed signs no more, and the key in its place does not sign for it")
    func destroyedKey() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let keys = try application.makeKeys(session)
        let digest = [UInt8](repeating: 3, count: 32)
        try application.library.withSession(session) { session throws(CKError) in
            try session.signInit(Mechanism(type: CKM_GOSTR3410, parameter: []), key: keys.privateKey)
        }
        try application.destroy(session, keys.privateKey)
        try application.destroy(session, keys.publicKey)
        _ = try application.makeKeys(session)
        #expect(throws: CKError.keyHandleInvalid) {
            try application.library.withSession(session) { session throws(CKError) in
                try session.sign(digest.span)
            }
        }
    }

    @Test("no handle but that of an object that can be seen is taken")
    func handles() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        for handle in [0, 1, CK_ULONG.unavailable] {
            #expect(throws: CKError.objectHandleInvalid) { try application.copy(session, handle, []) }
            #expect(throws: CKError.objectHandleInvalid) { try application.set(session, handle, []) }
            #expect(throws: CKError.objectHandleInvalid) { try application.size(session, handle) }
            #expect(throws: CKError.objectHandleInvalid) { try application.destroy(session, handle) }
        }
    }
}

extension Application {
    @discardableResult
    func create(_ session: CK_SESSION_HANDLE, _ template: ObjectTests.Template) throws -> CK_OBJECT_HANDLE {
        let template = try Attributes(template: template)
        return try library.withSession(session) { session throws(CKError) in try session.createObject(template) }
    }

    @discardableResult
    func copy(
        _ session: CK_SESSION_HANDLE, _ object: CK_OBJECT_HANDLE, _ template: ObjectTests.Template
    ) throws -> CK_OBJECT_HANDLE {
        let template = try Attributes(template: template)
        return try library.withSession(session) { session throws(CKError) in
            try session.copyObject(object, template)
        }
    }

    func set(_ session: CK_SESSION_HANDLE, _ object: CK_OBJECT_HANDLE, _ template: ObjectTests.Template) throws {
        let template = try Attributes(template: template)
        try library.withSession(session) { session throws(CKError) in
            try session.setAttributes(of: object, template)
        }
    }

    @discardableResult
    func size(_ session: CK_SESSION_HANDLE, _ object: CK_OBJECT_HANDLE) throws -> CK_ULONG {
        try library.withSession(session) { session throws(CKError) in try session.objectSize(object) }
    }

    func destroy(_ session: CK_SESSION_HANDLE, _ object: CK_OBJECT_HANDLE) throws {
        try library.withSession(session) { session throws(CKError) in try session.destroyObject(object) }
    }
}
