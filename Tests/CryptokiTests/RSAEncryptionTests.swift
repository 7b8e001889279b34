import CCryptoki
import Cryptoki
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
            #expect(try session.cipherSize(ofWhole: text.count, .encryption) == 128)
            _ = try session.cipherUpdate(text.span.extracting(0..<4), .encryption)
            _ = try session.cipherUpdate(text.span.extracting(4..<9), .encryption)
            let ciphertext = try session.cipherFinal(.encryption)
            try session.decryptInit(Mechanism(CKM_RSA_PKCS), key: keys.1)
            #expect(try session.cipherSize(ofWhole: 128, .decryption) == 117)
            #expect(try session.cipherSize(of: ciphertext.bytes, .decryption) == text.count)
            let plaintext = try session.cipher(ciphertext.bytes, .decryption)
            return [UInt8](copying: plaintext)
        }
        #expect(result == text)
    }

    @Test("a secret key is wrapped with a public key and unwrapped with the private one")
    func wrapping() throws {
        let scene = try RSAScene()
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        let value = [UInt8](repeating: 9, count: 32)
        let secret = try scene.scene.key(CKK_MAGMA, value)
        let template = try Attributes(template: [(CKA_KEY_TYPE, CKK_MAGMA.octets)])
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
        #expect(throws: CKError(CKR_UNWRAPPING_KEY_HANDLE_INVALID)) { try unwrap(zeros, keys.0) }
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
            (.oaep(CKM_SHA_1, sha1, source: 0), .mechanismParameterInvalid),
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
