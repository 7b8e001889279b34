// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Secrets
import TestSupport
import Testing

@Suite("Encryption with RSA", .serialized)
struct RSAEncryptionTests {
    private static let mechanisms: [(Mechanism, room: Int, String)] =
        [
            (Mechanism(CKM_RSA_PKCS), 181, "rsa_padding_mode:pkcs1"),
            (
                .oaep(CKM_SHA256, CK_ULONG(CKG_MGF1_SHA1), label: [1, 2]), 126,
                "rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 -pkeyopt rsa_mgf1_md:sha1 -pkeyopt rsa_oaep_label:0102"
            ),
        ]
        + RSASignatureTests.hashes.map { hash in
            (
                .oaep(hash.1, hash.2), 190 - 2 * hash.size,
                "rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:\(hash.name) -pkeyopt rsa_mgf1_md:\(hash.name)"
            )
        }

    @Test("what is encrypted here, the openssl program decrypts, and the other way round")
    func encryption() throws {
        let scene = try RSAScene(bits: 1536)
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        for (mechanism, room, words) in Self.mechanisms {
            for count in [0, 1, room] {
                let text = [UInt8](repeating: 0x5A, count: count)
                try scene.openssl.write(try scene.scene.encrypt(mechanism, keys.0, text), "ours")
                #expect(try scene.openssl.output("pkeyutl -decrypt -inkey key.pem -in ours -pkeyopt \(words)") == text)
                try scene.openssl.write(text, "text")
                try scene.openssl.run("pkeyutl -encrypt -inkey key.pem -in text -out theirs -pkeyopt \(words)")
                #expect(try scene.scene.decrypt(mechanism, keys.1, scene.openssl.read("theirs")) == text)
            }
            #expect(throws: CKError.dataLengthRange) {
                try scene.scene.encrypt(mechanism, keys.0, [UInt8](repeating: 1, count: room + 1))
            }
            let wrong = try scene.scene.encrypt(Mechanism(CKM_RSA_X_509), keys.0, [1, 1])
            #expect(throws: CKError(CKR_ENCRYPTED_DATA_INVALID)) {
                try scene.scene.decrypt(mechanism, keys.1, wrong)
            }
            for count in [0, 191, 193] {
                #expect(throws: CKError(CKR_ENCRYPTED_DATA_LEN_RANGE)) {
                    try scene.scene.decrypt(mechanism, keys.1, [UInt8](repeating: 1, count: count))
                }
            }
        }
    }

    @Test("OAEP without a label needs no source of one: pkcs11-tool names none")
    func noSource() throws {
        let scene = try RSAScene()
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        let named = Mechanism.oaep(CKM_SHA256, CK_ULONG(CKG_MGF1_SHA256))
        let none = Mechanism.oaep(CKM_SHA256, CK_ULONG(CKG_MGF1_SHA256), source: 0)
        for (one, other) in [(named, none), (none, named)] {
            let ciphertext = try scene.scene.encrypt(one, keys.0, [1, 2, 3])
            #expect(try scene.scene.decrypt(other, keys.1, ciphertext) == [1, 2, 3])
        }
    }

    @Test("without padding, a number is encrypted, and comes back with zeros before it")
    func raw() throws {
        let scene = try RSAScene()
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        let mechanism = Mechanism(CKM_RSA_X_509)
        let ciphertext = try scene.scene.encrypt(mechanism, keys.0, [1, 2, 3])
        #expect(
            try scene.scene.decrypt(mechanism, keys.1, ciphertext) == [UInt8](repeating: 0, count: 125) + [1, 2, 3])
        let big = [UInt8](repeating: 0xFF, count: 128)
        #expect(throws: CKError(CKR_DATA_INVALID)) { try scene.scene.encrypt(mechanism, keys.0, big) }
        #expect(throws: CKError(CKR_ENCRYPTED_DATA_INVALID)) { try scene.scene.decrypt(mechanism, keys.1, big) }
    }

    @Test("the text may come in parts; its length is known before it is decrypted where that matters")
    func parts() throws {
        let scene = try RSAScene()
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        let text = Array("some text".utf8)
        let result = try scene.scene.inSession { session throws(CKError) in
            try session.encryptInit(Mechanism(CKM_RSA_PKCS), key: keys.0)
            #expect(try session.activeCipher(.encryption).size(ofWhole: text.count) == 128)
            _ = try session.cipherUpdate(text.span.extracting(0..<4), .encryption)
            _ = try session.cipherUpdate(text.span.extracting(4..<9), .encryption)
            let ciphertext = try session.cipherFinal(.encryption)
            try session.decryptInit(Mechanism(CKM_RSA_PKCS), key: keys.1)
            #expect(try session.activeCipher(.decryption).size(ofWhole: 128) == 117)
            #expect(try session.activeCipher(.decryption).exactSize(of: ciphertext.bytes) == text.count)
            let plaintext = try session.cipher(ciphertext.bytes, .decryption)
            return [UInt8](copying: plaintext)
        }
        #expect(result == text)
    }

    /// A key pair of the token, and two texts encrypted for it.
    private static func tokenKey(
        _ application: Application, _ session: CK_SESSION_HANDLE, _ more: ObjectTests.Template = []
    ) throws -> (key: CK_OBJECT_HANDLE, [(text: [UInt8], encrypted: [UInt8])]) {
        let templates = (
            try Attributes(template: [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes)]),
            try Attributes(template: [(CKA_TOKEN, [1])] + more)
        )
        return try application.library.withSession(session) { session throws(CKError) in
            let keys = try session.generateKeyPair(
                Mechanism(CKM_RSA_PKCS_KEY_PAIR_GEN), publicTemplate: templates.0, privateTemplate: templates.1)
            let texts = try [[UInt8](1...20), [UInt8](1...3)].map { text throws(CKError) in
                try session.encryptInit(Mechanism(CKM_RSA_PKCS), key: keys.0)
                let encrypted = try session.cipher(text.span, .encryption)
                return (text, [UInt8](copying: encrypted))
            }
            return (keys.1, texts)
        }
    }

    @Test("a question for the length of a plaintext is answered exactly, and the token decrypts once")
    func lengthQuery() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        let (key, texts) = try Self.tokenKey(application, session)
        let (one, other) = (texts[0], texts[1])
        func decryptions(_ body: (Session) throws(CKError) -> Void) throws -> Int {
            let before = reader.count(of: 0x2A)
            try application.library.withSession(session) { session throws(CKError) in
                try session.decryptInit(Mechanism(CKM_RSA_PKCS), key: key)
                try body(session)
            }
            return reader.count(of: 0x2A) - before
        }
        let whole = try decryptions { session throws(CKError) in
            for _ in 0..<2 {
                #expect(try session.decryptedSize(one.encrypted) == one.text.count)
            }
            let plaintext = try session.cipher(one.encrypted.span, .decryption)
            #expect([UInt8](copying: plaintext) == one.text)
        }
        let parts = try decryptions { session throws(CKError) in
            _ = try session.cipherUpdate(one.encrypted.span.extracting(0..<50), .decryption)
            _ = try session.cipherUpdate(one.encrypted.span.extracting(50..<128), .decryption)
            for _ in 0..<2 { #expect(try session.activeCipher(.decryption).exactFinalSize() == one.text.count) }
            let plaintext = try session.cipherFinal(.decryption)
            #expect([UInt8](copying: plaintext) == one.text)
        }
        let different = try decryptions { session throws(CKError) in
            #expect(try session.decryptedSize(one.encrypted) == one.text.count)
            let plaintext = try session.cipher(other.encrypted.span, .decryption)
            #expect([UInt8](copying: plaintext) == other.text)
        }
        let partsAfterAll = try decryptions { session throws(CKError) in
            #expect(try session.decryptedSize(one.encrypted) == one.text.count)
            _ = try session.cipherUpdate(other.encrypted.span, .decryption)
            let plaintext = try session.cipherFinal(.decryption)
            #expect([UInt8](copying: plaintext) == other.text)
        }
        #expect([whole, parts, different, partsAfterAll] == [1, 1, 2, 2])
        _ = try decryptions { session throws(CKError) in
            #expect(try session.decryptedSize(one.encrypted) == one.text.count)
            try session.destroyObject(key)
            #expect(throws: CKError.keyHandleInvalid) { try session.cipherAsArray(one.encrypted) }
        }
    }

    @Test("a length can be asked for before the PIN that the key wants for its use, and is a limit then")
    func lengthQueryBeforePIN() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let (key, texts) = try Self.tokenKey(application, session, [(CKA_ALWAYS_AUTHENTICATE, [1])])
        func size() throws(CKError) -> Int {
            try application.library.withSession(session) { session throws(CKError) in
                try session.decryptedSize(texts[0].encrypted)
            }
        }
        try application.library.withSession(session) { session throws(CKError) in
            try session.decryptInit(Mechanism(CKM_RSA_PKCS), key: key)
        }
        #expect(try size() == 117)
        try application.logIn(session, as: CKU_CONTEXT_SPECIFIC)
        #expect(try size() == texts[0].text.count)
        let plaintext = try application.library.withSession(session) { session throws(CKError) in
            try session.cipherAsArray(texts[0].encrypted)
        }
        #expect(plaintext == texts[0].text)
    }

    @Test("a secret key is wrapped with a public key and unwrapped with the private one")
    func wrapping() throws {
        let scene = try RSAScene()
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        let value = [UInt8](repeating: 9, count: 32)
        let secret = try scene.scene.key(CKK_MAGMA, value)
        let template = try Attributes(template: [(CKA_KEY_TYPE, CKK_MAGMA.bytes)])
        for mechanism in [Mechanism(CKM_RSA_PKCS), .oaep(CKM_SHA_1, CK_ULONG(CKG_MGF1_SHA1))] {
            let wrapped = try scene.scene.inSession { session throws(CKError) in
                try session.wrapKey(mechanism, secret, with: keys.0)
            }
            #expect(try scene.scene.decrypt(mechanism, keys.1, wrapped) == value)
            let unwrapped = try scene.scene.inSession { session throws(CKError) in
                try session.unwrapKey(mechanism, wrapped, with: keys.1, template: template)
            }
            #expect(try scene.attributes(of: unwrapped)[CKA_VALUE] == value)
        }
        func unwrap(_ wrapped: [UInt8], _ key: CK_OBJECT_HANDLE) throws(CKError) {
            _ = try scene.scene.inSession { session throws(CKError) in
                try session.unwrapKey(Mechanism(CKM_RSA_PKCS), wrapped, with: key, template: template)
            }
        }
        let zeros = [UInt8](repeating: 0, count: 128)
        #expect(throws: CKError(CKR_WRAPPED_KEY_INVALID)) { try unwrap(zeros, keys.1) }
        #expect(throws: CKError(CKR_WRAPPED_KEY_LEN_RANGE)) { try unwrap([1], keys.1) }
        #expect(throws: CKError(CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT)) { try unwrap(zeros, keys.0) }
        #expect(throws: CKError(CKR_UNWRAPPING_KEY_HANDLE_INVALID)) { try unwrap(zeros, 999) }
        let long = try scene.scene.key(CKK_GENERIC_SECRET, [UInt8](repeating: 1, count: 200))
        #expect(throws: CKError(CKR_KEY_SIZE_RANGE)) {
            try scene.scene.inSession { session throws(CKError) in
                try session.wrapKey(Mechanism(CKM_RSA_PKCS), long, with: keys.0)
            }
        }
    }

    @Test("parameters of OAEP are checked, and a key that is too short for them")
    func refusals() throws {
        let scene = try RSAScene(bits: 512)
        let key = try scene.create(scene.publicTemplate)
        let sha1 = CK_ULONG(CKG_MGF1_SHA1)
        let cases: [(Mechanism, CKError)] = [
            (Mechanism(CKM_RSA_PKCS_OAEP), .mechanismParameterInvalid),
            (.oaep(CKM_GOSTR3411, sha1), .mechanismParameterInvalid),
            (.oaep(CKM_SHA_1, 0), .mechanismParameterInvalid),
            (.oaep(CKM_SHA_1, sha1, source: 0, label: [1]), .mechanismParameterInvalid),
            (.oaep(CKM_SHA_1, sha1, source: 2), .mechanismParameterInvalid),
            (.oaep(CKM_SHA256, sha1), CKError(CKR_KEY_SIZE_RANGE)),
            (Mechanism(CKM_RSA_PKCS, 1), .mechanismParameterInvalid),
            (Mechanism(CKM_RSA_PKCS_PSS), .mechanismInvalid),
            (Mechanism(CKM_SHA256_RSA_PKCS), .mechanismInvalid),
        ]
        for (mechanism, error) in cases {
            #expect(throws: error) { try scene.scene.encrypt(mechanism, key, [1]) }
        }
    }
}

extension Session {
    fileprivate func decryptedSize(_ data: [UInt8]) throws(CKError) -> Int {
        let size = try activeCipher(.decryption).exactSize(of: data.span)
        return size
    }

    fileprivate func cipherAsArray(_ data: [UInt8]) throws(CKError) -> [UInt8] {
        let plaintext = try cipher(data.span, .decryption)
        return [UInt8](copying: plaintext)
    }
}
