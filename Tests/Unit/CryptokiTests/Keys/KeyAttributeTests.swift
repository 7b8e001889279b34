// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import GOST
import HostCrypto
import TestSupport
import Testing

@Suite("Attributes of keys", .serialized)
struct KeyAttributeTests {
    typealias Template = ObjectTests.Template

    private static func generate(
        _ scene: SecretKeyScene, _ mechanism: CK_MECHANISM_TYPE, _ publicKey: Template, _ privateKey: Template
    ) throws -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
        let templates = (try Attributes(template: publicKey), try Attributes(template: privateKey))
        let keys = try scene.inSession { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: mechanism, parameter: []), publicTemplate: templates.0, privateTemplate: templates.1)
        }
        return (keys.0, keys.1)
    }

    private static func attributes(_ scene: SecretKeyScene, of key: CK_OBJECT_HANDLE) throws -> Attributes {
        try scene.application.attributes(scene.session, of: key)
    }

    @Test("what a template leaves out has the value that the standard gives it")
    func defaults() throws {
        let scene = try SecretKeyScene()
        let keys = try Self.generate(scene, CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, ECCurve.p256.oid)], [])
        let secret = try scene.generate(CKM_MAGMA_KEY_GEN)
        let always: Template = [
            (CKA_TOKEN, [0]), (CKA_MODIFIABLE, [1]), (CKA_COPYABLE, [1]), (CKA_DESTROYABLE, [1]), (CKA_LABEL, []),
            (CKA_ID, []), (CKA_START_DATE, []), (CKA_END_DATE, []), (CKA_LOCAL, [1]), (CKA_ALLOWED_MECHANISMS, []),
        ]
        let expected: [(CK_OBJECT_HANDLE, CK_MECHANISM_TYPE, Template)] = [
            (
                keys.publicKey, CKM_EC_KEY_PAIR_GEN,
                [(CKA_PRIVATE, [0]), (CKA_SUBJECT, []), (CKA_TRUSTED, [0]), (CKA_DERIVE, [0])]
            ),
            (
                keys.privateKey, CKM_EC_KEY_PAIR_GEN,
                [
                    (CKA_PRIVATE, [1]), (CKA_SUBJECT, []), (CKA_SENSITIVE, [1]), (CKA_EXTRACTABLE, [0]),
                    (CKA_ALWAYS_SENSITIVE, [1]), (CKA_NEVER_EXTRACTABLE, [1]), (CKA_WRAP_WITH_TRUSTED, [0]),
                    (CKA_ALWAYS_AUTHENTICATE, [0]), (CKA_DERIVE, [0]), (CKA_EC_PARAMS, ECCurve.p256.oid),
                ]
            ),
            (
                secret, CKM_MAGMA_KEY_GEN,
                [
                    (CKA_PRIVATE, [1]), (CKA_SENSITIVE, [0]), (CKA_EXTRACTABLE, [1]), (CKA_ALWAYS_SENSITIVE, [0]),
                    (CKA_NEVER_EXTRACTABLE, [0]), (CKA_WRAP_WITH_TRUSTED, [0]), (CKA_TRUSTED, [0]),
                ]
            ),
        ]
        for (key, mechanism, own) in expected {
            let attributes = try Self.attributes(scene, of: key)
            #expect(try attributes.number(CKA_KEY_GEN_MECHANISM) == mechanism)
            for (type, value) in always + own { #expect(attributes[type] == value, "\(type) of \(mechanism)") }
        }
    }

    @Test("a key serves the mechanisms that CKA_ALLOWED_MECHANISMS lists, and no other")
    func allowedMechanisms() throws {
        let scene = try SecretKeyScene()
        let list = CKM_ECDSA_SHA256.bytes + CKM_ECDSA_SHA1.bytes
        let keys = try Self.generate(
            scene, CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, ECCurve.p256.oid)], [(CKA_ALLOWED_MECHANISMS, list)])
        for mechanism in [CKM_ECDSA_SHA256, CKM_ECDSA_SHA1] {
            let signature = try scene.sign(mechanism, keys.privateKey, [1])
            try scene.verify(mechanism, keys.publicKey, [1], signature)
        }
        #expect(throws: CKError.mechanismInvalid) { try scene.sign(CKM_ECDSA, keys.privateKey, [1]) }
        #expect(throws: CKError.attributeReadOnly) {
            try scene.application.set(scene.session, keys.privateKey, [(CKA_ALLOWED_MECHANISMS, [])])
        }
        let secret = try scene.key(
            CKK_MAGMA, [UInt8](repeating: 1, count: 32), [(CKA_ALLOWED_MECHANISMS, CKM_MAGMA_MAC.bytes)])
        _ = try scene.sign(CKM_MAGMA_MAC, secret, [1])
        #expect(throws: CKError.mechanismInvalid) {
            try scene.cipher(.encryption, CKM_MAGMA_ECB, secret, [UInt8](repeating: 1, count: 8))
        }
        #expect(throws: CKError.attributeValueInvalid) {
            try scene.key(CKK_MAGMA, [UInt8](repeating: 1, count: 32), [(CKA_ALLOWED_MECHANISMS, [1])])
        }
    }

    @Test("a secret key's check value begins a block of zeros under the key, or the digest of the key")
    func checkValues() throws {
        let scene = try SecretKeyScene()
        // FIPS 180-4, the first example; NIST SP 800-38A's cipher with the key 0.
        let cases: [(CK_KEY_TYPE, [UInt8], [UInt8])] = [
            (CKK_GENERIC_SECRET, Array("abc".utf8), [0xA9, 0x99, 0x3E]),
            (CKK_AES, [UInt8](repeating: 0, count: 16), [0x66, 0xE9, 0x4B]),
        ]
        for (type, value, expected) in cases {
            let key = try scene.key(type, value)
            #expect(try Self.attributes(scene, of: key)[CKA_CHECK_VALUE] == expected)
            _ = try scene.key(type, value, [(CKA_CHECK_VALUE, expected)])
            #expect(throws: CKError.attributeValueInvalid) {
                try scene.key(type, value, [(CKA_CHECK_VALUE, [1, 2, 3])])
            }
            let without = try scene.key(type, value, [(CKA_CHECK_VALUE, [])])
            #expect(try Self.attributes(scene, of: without)[CKA_CHECK_VALUE] == [])
        }
        for (generation, codebook) in [
            (CKM_GOST28147_KEY_GEN, CKM_GOST28147_ECB), (CKM_MAGMA_KEY_GEN, CKM_MAGMA_ECB),
            (CKM_KUZNECHIK_KEY_GEN, CKM_KUZNECHIK_ECB),
        ] {
            for place in [UInt8(0), 1] {
                let key = try scene.generate(generation, [(CKA_TOKEN, [place])])
                let block = try scene.cipher(.encryption, codebook, key, [UInt8](repeating: 0, count: 16))
                #expect(try Self.attributes(scene, of: key)[CKA_CHECK_VALUE] == Array(block.prefix(3)))
            }
        }
    }

    @Test(
        "label, identifier and subject of both halves of a key pair of the token can change, its nature cannot",
        arguments: [CKM_RSA_PKCS_KEY_PAIR_GEN, CKM_EC_KEY_PAIR_GEN, CKM_GOSTR3410_512_KEY_PAIR_GEN])
    func changes(_ mechanism: CK_MECHANISM_TYPE) throws {
        let scene = try SecretKeyScene()
        var publicKey: Template = [(CKA_TOKEN, [1])]
        if mechanism == CKM_RSA_PKCS_KEY_PAIR_GEN { publicKey.append((CKA_MODULUS_BITS, CK_ULONG(1024).bytes)) }
        if mechanism == CKM_EC_KEY_PAIR_GEN { publicKey.append((CKA_EC_PARAMS, ECCurve.p256.oid)) }
        let keys = try Self.generate(scene, mechanism, publicKey, [(CKA_TOKEN, [1])])
        let (application, session) = (scene.application, scene.session)
        let changes: Template = [(CKA_LABEL, [6]), (CKA_ID, [7, 7]), (CKA_SUBJECT, [0x30, 0])]
        for key in [keys.publicKey, keys.privateKey] {
            try application.set(session, key, changes)
            for (type, value) in [
                (CKA_TOKEN, [0]), (CKA_LOCAL, [0]), (CKA_KEY_TYPE, CKK_AES.bytes), (CKA_CLASS, CKO_DATA.bytes),
            ] as Template {
                #expect(throws: CKError.attributeReadOnly) { try application.set(session, key, [(type, value)]) }
            }
        }
        #expect(throws: CKError.attributeReadOnly) {
            try application.set(session, keys.privateKey, [(CKA_EXTRACTABLE, [1])])
        }
        #expect(throws: CKError.attributeReadOnly) {
            try application.set(session, keys.privateKey, [(CKA_SENSITIVE, [0])])
        }
        try application.library.closeAllSessions(with: 0)
        let later = try application.open()
        try application.logIn(later)
        #expect(try application.find(later, changes).count == 2)
    }

    @Test("a derived key was always hidden only if its base was", arguments: [true, false])
    func past(isHidden: Bool) throws {
        let scene = try SecretKeyScene()
        let hidden: Template = [(CKA_SENSITIVE, [1]), (CKA_EXTRACTABLE, [0])]
        let base = try scene.generate(CKM_MAGMA_KEY_GEN, isHidden ? hidden : [])
        let other = try scene.generate(CKM_MAGMA_KEY_GEN, hidden)
        let template = try Attributes(template: hidden)
        let derived = try scene.inSession { session throws(CKError) in
            try session.deriveKey(
                Mechanism(CKM_CONCATENATE_BASE_AND_KEY, CK_ULONG(other)), from: base, template: template)
        }
        let attributes = try Self.attributes(scene, of: derived)
        for type in [CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] { #expect(try attributes.bool(type) == isHidden) }
        #expect(try attributes.bool(CKA_LOCAL) == false)
        #expect(try attributes.number(CKA_KEY_GEN_MECHANISM) == .unavailable)
    }

    @Test("a key of the token can sign the journal; no token has a screen or a button to confirm by")
    func vendorAttributes() throws {
        let scene = try SecretKeyScene()
        let token: Template = [(CKA_TOKEN, [1])]
        let keys = try Self.generate(
            scene, CKM_GOSTR3410_KEY_PAIR_GEN, token, token + [(CKA_VENDOR_KEY_JOURNAL, [1]), (CKA_ID, [1])])
        _ = try Self.generate(
            scene, CKM_GOSTR3410_512_KEY_PAIR_GEN, token, token + [(CKA_VENDOR_CONFIRM_BY_TOUCH, [0]), (CKA_ID, [2])])
        #expect(try Self.attributes(scene, of: keys.privateKey).bool(CKA_VENDOR_KEY_JOURNAL) == true)
        try scene.application.library.closeAllSessions(with: 0)
        let later = try scene.application.open()
        try scene.application.logIn(later)
        for (id, signsJournal) in [(UInt8(1), UInt8(1)), (2, 0)] {
            let found = try scene.application.find(
                later, [(CKA_ID, [id]), (CKA_VENDOR_KEY_JOURNAL, [signsJournal]), (CKA_VENDOR_KEY_PIN_ENTER, [0])])
            #expect(found.count == 1)
        }
        let wrong: [Template] = [
            [(CKA_VENDOR_KEY_JOURNAL, [1]), (CKA_TOKEN, [0])], token + [(CKA_VENDOR_KEY_PIN_ENTER, [1])],
            token + [(CKA_VENDOR_KEY_CONFIRM_OP, [1])], token + [(CKA_VENDOR_CONFIRM_BY_TOUCH, [1])],
        ]
        for template in wrong {
            #expect(throws: CKError.templateInconsistent, "\(template)") {
                try scene.application.library.withSession(later) { session throws(CKError) in
                    let attributes = try Attributes(template: template)
                    _ = try session.generateKeyPair(
                        Mechanism(type: CKM_GOSTR3410_KEY_PAIR_GEN, parameter: []), publicTemplate: Attributes(),
                        privateTemplate: attributes)
                }
            }
        }
        #expect(try scene.application.find(later, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)]).count == 2)
    }

    @Test("either template, or both, can say that a key pair signs the journal, and both halves tell")
    func journal() throws {
        let scene = try SecretKeyScene()
        let (token, journal): (Template, Template) = ([(CKA_TOKEN, [1])], [(CKA_VENDOR_KEY_JOURNAL, [1])])
        let plain: Template = [(CKA_VENDOR_KEY_JOURNAL, [0])]
        for (publicKey, privateKey, isSigning) in [
            (journal, journal, true), (journal, [], true), ([], journal, true), (plain, plain, false),
            (plain, [], false),
        ] {
            let keys = try Self.generate(scene, CKM_GOSTR3410_KEY_PAIR_GEN, token + publicKey, token + privateKey)
            for key in [keys.publicKey, keys.privateKey] {
                #expect(try Self.attributes(scene, of: key).bool(CKA_VENDOR_KEY_JOURNAL) == isSigning)
            }
        }
        #expect(try scene.application.find(scene.session, journal).count == 6)
        for (publicKey, privateKey) in [(journal, plain), (plain, journal)] {
            #expect(throws: CKError.templateInconsistent) {
                try Self.generate(scene, CKM_GOSTR3410_KEY_PAIR_GEN, token + publicKey, token + privateKey)
            }
        }
        #expect(throws: CKError.templateInconsistent) {
            try Self.generate(scene, CKM_GOSTR3410_KEY_PAIR_GEN, token + journal, [])
        }
    }

    @Test("a private key of the token says that it cannot be copied, wherever it came from")
    func copyable() throws {
        let scene = try SecretKeyScene()
        let token: Template = [(CKA_TOKEN, [1])]
        var keys = [
            try Self.generate(scene, CKM_GOSTR3410_KEY_PAIR_GEN, token, token).privateKey,
            try Self.generate(scene, CKM_GOSTR3410_KEY_PAIR_GEN, token, token + [(CKA_COPYABLE, [1])]).privateKey,
            try scene.application.create(scene.session, ObjectTests.privateKey + token),
        ]
        let pair = try Self.generate(scene, CKM_GOSTR3410_KEY_PAIR_GEN, [], [])
        keys.append(try scene.application.copy(scene.session, pair.privateKey, token))
        for key in keys {
            #expect(try Self.attributes(scene, of: key).bool(CKA_COPYABLE) == false)
            #expect(throws: CKError.actionProhibited) { try scene.application.copy(scene.session, key, []) }
            #expect(throws: CKError.attributeReadOnly) {
                try scene.application.set(scene.session, key, [(CKA_COPYABLE, [1])])
            }
        }
        for key in [pair.publicKey, pair.privateKey] {
            #expect(try Self.attributes(scene, of: key).bool(CKA_COPYABLE) == true)
        }
        #expect(try scene.application.find(scene.session, [(CKA_COPYABLE, [0])]) == keys)
        try scene.application.library.closeAllSessions(with: 0)
        let later = try scene.application.open()
        try scene.application.logIn(later)
        #expect(try scene.application.find(later, [(CKA_COPYABLE, [0])]).count == 4)
    }

    @Test("a session's key of GOST 28147-89 takes another value, as programs mesh keys; others do not")
    func meshing() throws {
        let scene = try SecretKeyScene()
        let (application, session) = (scene.application, scene.session)
        let file = try JSON(vectors: "gost28147_keymeshing.json")
        let constant = file.C.bytes
        let sets = ["CryptoPro-A": SBox.cryptoProA, "CryptoPro-B": .cryptoProB, "CryptoPro-C": .cryptoProC]
        var count = 0
        for vector in file.vectors.list {
            guard let set = sets.first(where: { vector.sbox.text?.contains($0.key) == true })?.value else { continue }
            let hidden = [(CKA_SENSITIVE, [1]), (CKA_GOST28147_PARAMS, set.oid)] as [(CK_ATTRIBUTE_TYPE, [UInt8])]
            let key = try scene.key(CKK_GOST28147, vector.key.bytes, hidden)
            let next = try scene.cipher(.decryption, CKM_GOST28147_ECB, key, constant)
            #expect(next == vector.next_key.bytes)
            let before = try application.attributes(session, of: key)
            try application.set(session, key, [(CKA_LABEL, [7]), (CKA_VALUE, next)])
            // The value itself stays hidden. Its checksum and its ciphertexts are those of a new key.
            let fresh = try scene.key(CKK_GOST28147, next, hidden)
            let attributes = try application.attributes(session, of: key)
            #expect(attributes[CKA_LABEL] == [7] && attributes[CKA_VALUE] == nil)
            #expect(attributes[CKA_UNIQUE_ID] == before[CKA_UNIQUE_ID])
            let checkValue = try application.attributes(session, of: fresh)[CKA_CHECK_VALUE]
            #expect(attributes[CKA_CHECK_VALUE] == checkValue && checkValue != before[CKA_CHECK_VALUE])
            let texts = try [key, fresh].map { try scene.cipher(.encryption, CKM_GOST28147_ECB, $0, constant) }
            #expect(texts[0] == texts[1])
            count += 1
        }
        #expect(count == 3)

        let made = try scene.generate(CKM_GOST28147_KEY_GEN, [(CKA_SENSITIVE, [1]), (CKA_EXTRACTABLE, [0])])
        #expect(throws: CKError.attributeValueInvalid) { try application.set(session, made, [(CKA_VALUE, [1])]) }
        #expect(try application.attributes(session, of: made).bool(CKA_LOCAL) == true)
        try application.set(session, made, [(CKA_VALUE, constant)])
        let attributes = try application.attributes(session, of: made)
        for flag in [CKA_LOCAL, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] {
            #expect(try attributes.bool(flag) == false)
        }
        for other in [
            try scene.key(CKK_MAGMA, constant), try scene.key(CKK_GOST28147, constant, [(CKA_TOKEN, [1])]),
        ] {
            #expect(throws: CKError.attributeReadOnly) { try application.set(session, other, [(CKA_VALUE, constant)]) }
        }
    }
}
