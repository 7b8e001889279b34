// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Testing

@Suite("Templates that keys have for other keys", .serialized)
struct NestedTemplateTests {
    typealias Template = ObjectTests.Template

    private static let wrapping = Mechanism(
        type: CKM_KUZNECHIK_KEXP_15_WRAP, parameter: [UInt8](repeating: 1, count: 8))
    private static let value = [UInt8](repeating: 5, count: 32)

    private static func packed(_ template: Template) throws -> [UInt8] {
        try #require(try Attributes(template: template).packed)
    }

    /// A key that wraps and unwraps.
    private static func twin(
        _ scene: SecretKeyScene, _ more: [(CK_ATTRIBUTE_TYPE, [UInt8])], onToken: Bool = false
    ) throws -> CK_OBJECT_HANDLE {
        try scene.key(
            CKK_KUZNECHIK_TWIN_KEY, [UInt8](repeating: 2, count: 64), more + [(CKA_TOKEN, [onToken ? 1 : 0])])
    }

    private static func wrap(
        _ scene: SecretKeyScene, _ key: CK_OBJECT_HANDLE, with twin: CK_OBJECT_HANDLE
    ) throws -> [UInt8] {
        try scene.inSession { session throws(CKError) in try session.wrapKey(wrapping, key, with: twin) }
    }

    private static func unwrap(
        _ scene: SecretKeyScene, _ wrapped: [UInt8], with twin: CK_OBJECT_HANDLE, _ template: Template
    ) throws -> CK_OBJECT_HANDLE {
        let template = try Attributes(template: template)
        return try scene.inSession { session throws(CKError) in
            try session.unwrapKey(wrapping, wrapped, with: twin, template: template)
        }
    }

    @Test("a template has one form, whatever the order of its attributes, and holds no further template")
    func packing() throws {
        let template: Template = [(CKA_LABEL, [1, 2]), (CKA_CLASS, CKO_SECRET_KEY.bytes), (CKA_ID, [])]
        let packed = try Self.packed(template)
        #expect(try Self.packed(template.reversed()) == packed)
        #expect(try Attributes(packed: packed) == Attributes(template: template))
        #expect(Attributes(packed: []) == Attributes())
        for count in 1..<packed.count where ![16, 26].contains(count) {
            #expect(Attributes(packed: Array(packed.prefix(count))) == nil)
        }
        #expect(try Attributes(template: [(CKA_WRAP_TEMPLATE, [])]).packed == nil)
        #expect(try Attributes(template: [(1 << 32, [])]).packed == nil)
        #expect(Attributes(packed: [0x11, 2, 0, 0x40, 0, 0, 0, 0]) == nil)
    }

    @Test("CKA_WRAP_TEMPLATE: a key that does not match is not wrapped", arguments: [false, true])
    func wrapping(onToken: Bool) throws {
        let scene = try SecretKeyScene()
        let template = try Self.packed([(CKA_KEY_TYPE, CKK_MAGMA.bytes), (CKA_ID, [7])])
        let twin = try Self.twin(scene, [(CKA_WRAP_TEMPLATE, template)], onToken: onToken)
        #expect(try scene.application.attributes(scene.session, of: twin)[CKA_WRAP_TEMPLATE] == template)
        #expect(try scene.application.find(scene.session, [(CKA_WRAP_TEMPLATE, template)]) == [twin])
        let matching = try scene.key(CKK_MAGMA, Self.value, [(CKA_ID, [7])])
        #expect(try Self.wrap(scene, matching, with: twin).isEmpty == false)
        for (type, id) in [(CKK_MAGMA, UInt8(8)), (CKK_GENERIC_SECRET, 7)] {
            let other = try scene.key(type, Self.value, [(CKA_ID, [id])])
            #expect(throws: CKError.keyHandleInvalid) { try Self.wrap(scene, other, with: twin) }
        }
    }

    @Test("a public key's template holds for the keys that RSA wraps")
    func publicKey() throws {
        let scene = try SecretKeyScene()
        let template = try Self.packed([(CKA_LABEL, [1])])
        let wrapping = try scene.application.create(
            scene.session, StoredObjectTests.rsaKey + [(CKA_WRAP, [1]), (CKA_WRAP_TEMPLATE, template)])
        let mechanism = Mechanism(type: CKM_RSA_PKCS, parameter: [])
        for (label, isWrapped) in [(UInt8(1), true), (2, false)] {
            let key = try scene.key(CKK_GENERIC_SECRET, [1, 2, 3], [(CKA_LABEL, [label])])
            let wrap = { () throws(CKError) in
                try scene.inSession { session throws(CKError) in try session.wrapKey(mechanism, key, with: wrapping) }
            }
            if isWrapped { _ = try wrap() } else { #expect(throws: CKError.keyHandleInvalid) { try wrap() } }
        }
    }

    @Test("CKA_UNWRAP_TEMPLATE: an unwrapped key has its attributes, which no other template may contradict")
    func unwrapping() throws {
        let scene = try SecretKeyScene()
        let template = try Self.packed([(CKA_EXTRACTABLE, [0]), (CKA_KEY_TYPE, CKK_MAGMA.bytes), (CKA_ID, [7])])
        let twin = try Self.twin(scene, [(CKA_UNWRAP_TEMPLATE, template)])
        let wrapped = try Self.wrap(scene, try scene.key(CKK_MAGMA, Self.value), with: twin)
        for template in [[], [(CKA_LABEL, [3]), (CKA_ID, [7])]] as [Template] {
            let key = try Self.unwrap(scene, wrapped, with: twin, template)
            let attributes = try scene.application.attributes(scene.session, of: key)
            #expect(attributes[CKA_ID] == [7] && attributes[CKA_EXTRACTABLE] == [0])
            #expect(attributes[CKA_LABEL] == (template.isEmpty ? [] : [3]))
            #expect(try attributes.number(CKA_KEY_TYPE) == CKK_MAGMA)
        }
        for template in [[(CKA_ID, [8])], [(CKA_EXTRACTABLE, [1])], [(CKA_KEY_TYPE, CKK_AES.bytes)]] as [Template] {
            #expect(throws: CKError.templateInconsistent) { try Self.unwrap(scene, wrapped, with: twin, template) }
        }
    }

    @Test("an unwrapping template that says what no key can be lets no key through")
    func impossible() throws {
        let scene = try SecretKeyScene()
        let wrapped = try Self.wrap(scene, try scene.key(CKK_MAGMA, Self.value), with: try Self.twin(scene, []))
        let cases: [(Template, CKError)] = [
            ([(CKA_VALUE, Self.value)], .attributeReadOnly), ([(CKA_CLASS, CKO_DATA.bytes)], .templateInconsistent),
            ([(CKA_TRUSTED, [1])], .attributeReadOnly), ([(CKA_VALUE_LEN, CK_ULONG(5).bytes)], .templateInconsistent),
            ([(CKA_MODULUS, [1])], .attributeTypeInvalid), ([(CKA_SIGN, [])], .attributeValueInvalid),
        ]
        for (template, error) in cases {
            let twin = try Self.twin(scene, [(CKA_UNWRAP_TEMPLATE, try Self.packed(template))])
            #expect(throws: error, "\(template)") { try Self.unwrap(scene, wrapped, with: twin, []) }
        }
    }

    @Test("CKA_DERIVE_TEMPLATE: a derived key has the attributes that each of its bases wants")
    func derivation() throws {
        let scene = try SecretKeyScene()
        let bases = try [(CKA_ID, [7]), (CKA_LABEL, [8])].map { type, value in
            try scene.key(
                CKK_GENERIC_SECRET, Self.value, [(CKA_DERIVE_TEMPLATE, try Self.packed([(type, value)]))])
        }
        func derive(_ template: Template) throws -> Attributes {
            let template = try Attributes(template: template)
            let key = try scene.inSession { session throws(CKError) in
                try session.deriveKey(
                    Mechanism(CKM_CONCATENATE_BASE_AND_KEY, CK_ULONG(bases[1])), from: bases[0], template: template)
            }
            return try scene.application.attributes(scene.session, of: key)
        }
        let derived = try derive([(CKA_LABEL, [8])])
        #expect(derived[CKA_ID] == [7] && derived[CKA_LABEL] == [8])
        #expect(throws: CKError.templateInconsistent) { try derive([(CKA_LABEL, [9])]) }
        #expect(throws: CKError.templateInconsistent) { try derive([(CKA_ID, [])]) }
    }

    @Test("key pairs of the token keep their templates, which nobody changes", arguments: StoredObjectTests.identities)
    func keyPairs(_ identity: String) throws {
        let (_, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let template = try Self.packed([(CKA_EXTRACTABLE, [0]), (CKA_LABEL, [UInt8](repeating: 1, count: 300))])
        let publicKey: Template = [(CKA_TOKEN, [1]), (CKA_WRAP_TEMPLATE, template)]
        let privateKey: Template = [
            (CKA_TOKEN, [1]), (CKA_UNWRAP_TEMPLATE, template), (CKA_DERIVE_TEMPLATE, template), (CKA_DERIVE, [1]),
        ]
        let templates = (try Attributes(template: publicKey), try Attributes(template: privateKey))
        let keys = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: CKM_GOSTR3410_KEY_PAIR_GEN, parameter: []), publicTemplate: templates.0,
                privateTemplate: templates.1)
        }
        for (key, type) in [(keys.0, CKA_WRAP_TEMPLATE), (keys.1, CKA_UNWRAP_TEMPLATE), (keys.1, CKA_DERIVE_TEMPLATE)] {
            #expect(throws: CKError.attributeReadOnly) { try application.set(session, key, [(type, [])]) }
        }
        try application.library.closeAllSessions(with: 0)
        let later = try application.open()
        try application.logIn(later)
        #expect(try application.find(later, publicKey).count == 1)
        #expect(try application.find(later, privateKey).count == 1)
    }

    @Test("keys have the templates that their class can use, empty where nobody gave one, and in the one form only")
    func table() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let cases: [(Template, Set<CK_ATTRIBUTE_TYPE>)] = [
            (ObjectTests.data, []), (ObjectTests.rsaKey, [CKA_WRAP_TEMPLATE]),
            (ObjectTests.privateKey, [CKA_UNWRAP_TEMPLATE, CKA_DERIVE_TEMPLATE]),
            (ObjectTests.secretKey, [CKA_WRAP_TEMPLATE, CKA_UNWRAP_TEMPLATE, CKA_DERIVE_TEMPLATE]),
        ]
        for (template, types) in cases {
            let object = try application.create(session, template)
            let attributes = try application.attributes(session, of: object)
            for type in [CKA_WRAP_TEMPLATE, CKA_UNWRAP_TEMPLATE, CKA_DERIVE_TEMPLATE] {
                #expect(attributes[type] == (types.contains(type) ? [] : nil))
                let error = types.contains(type) ? CKError.attributeValueInvalid : .attributeTypeInvalid
                #expect(throws: error) { try application.create(session, template + [(type, [1])]) }
            }
        }
    }
}
