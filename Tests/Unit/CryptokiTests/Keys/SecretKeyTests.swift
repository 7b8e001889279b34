// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import GOST
import Secrets
import Testing
import TestSupport

@Suite("Secret keys of a session, codes and digests")
struct SecretKeyTests {
    @Test("keys are as long as their type says, differ, and show their value only if it is not sensitive")
    func generation() throws {
        let scene = try SecretKeyScene()
        for mechanism in [CKM_GOST28147_KEY_GEN, CKM_MAGMA_KEY_GEN, CKM_KUZNECHIK_KEY_GEN] {
            let keys = try (0..<2).map { _ in try scene.generate(mechanism) }
            let attributes = try keys.map { try scene.application.attributes(scene.session, of: $0) }
            #expect(attributes[0][CKA_VALUE]?.count == 32)
            #expect(attributes[0][CKA_VALUE] != attributes[1][CKA_VALUE])
            #expect(try attributes[0].number(CKA_VALUE_LEN) == 32)
            #expect(try attributes[0].number(CKA_KEY_GEN_MECHANISM) == mechanism)
            #expect(try attributes[0].bool(CKA_LOCAL) == true)
        }
        for hidden in [(CKA_SENSITIVE, [1]), (CKA_EXTRACTABLE, [0])] as [(CK_ATTRIBUTE_TYPE, [UInt8])] {
            let key = try scene.generate(CKM_MAGMA_KEY_GEN, [(hidden.0, hidden.1)])
            let attributes = try scene.application.attributes(scene.session, of: key)
            #expect(attributes[CKA_VALUE] == nil)
            #expect(Session.isSensitive(CKA_VALUE, in: attributes))
        }
    }

    @Test("templates are checked completely")
    func templates() throws {
        let scene = try SecretKeyScene()
        let wrong: [(CK_MECHANISM_TYPE, [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])], CKError)] = [
            (CKM_GENERIC_SECRET_KEY_GEN, [], .templateIncomplete),
            (CKM_GENERIC_SECRET_KEY_GEN, [(CKA_VALUE_LEN, CK_ULONG(9).bytes)], CKError(CKR_KEY_SIZE_RANGE)),
            (CKM_GENERIC_SECRET_KEY_GEN, [(CKA_VALUE_LEN, CK_ULONG.max.bytes)], CKError(CKR_KEY_SIZE_RANGE)),
            (CKM_MAGMA_KEY_GEN, [(CKA_VALUE_LEN, CK_ULONG(16).bytes)], .templateInconsistent),
            (CKM_MAGMA_KEY_GEN, [(CKA_KEY_TYPE, CKK_KUZNECHIK.bytes)], .templateInconsistent),
            (CKM_MAGMA_KEY_GEN, [(CKA_KEY_TYPE, CK_ULONG(0xFFFF).bytes)], .attributeValueInvalid),
            (CKM_MAGMA_KEY_GEN, [(CKA_CLASS, CKO_DATA.bytes)], .templateInconsistent),
            (CKM_MAGMA_KEY_GEN, [(CKA_VALUE, [1])], .attributeReadOnly),
            (CKM_MAGMA_KEY_GEN, [(CKA_MODULUS, [1])], .attributeTypeInvalid),
            (CKM_MAGMA_KEY_GEN, [(CKA_ENCRYPT, [])], .attributeValueInvalid),
            (CKM_GOST28147_KEY_GEN, [(CKA_GOST28147_PARAMS, [1])], .domainParametersInvalid),
            (CKM_GOSTR3411, [], .mechanismInvalid),
        ]
        for (mechanism, template, error) in wrong {
            #expect(throws: error) { try scene.generate(mechanism, template) }
        }
        let key = try scene.generate(CKM_GENERIC_SECRET_KEY_GEN, [(CKA_VALUE_LEN, CK_ULONG(48).bytes)])
        #expect(try scene.application.attributes(scene.session, of: key)[CKA_VALUE]?.count == 48)
    }

    @Test("every published code is made and verified, and no other is accepted")
    func codes() throws {
        let scene = try SecretKeyScene()
        let hashes = [
            "streebog256": CKM_GOSTR3411_12_256_HMAC, "streebog512": CKM_GOSTR3411_12_512_HMAC,
            "gostr341194-cryptopro": CKM_GOSTR3411_HMAC,
        ]
        var count = 0
        for vector in try JSON(vectors: "hmac_gost.json").vectors.list where !vector.key.bytes.isEmpty {
            guard let mechanism = vector.hash.text.flatMap({ hashes[$0] }) else { continue }
            let key = try scene.key(CKK_GENERIC_SECRET, vector.key.bytes)
            try check(scene, mechanism, [], key, vector.msg.bytes, vector.mac.bytes)
            count += 1
        }
        for vector in try JSON(vectors: "gost3413_modes.json").vectors.list where vector.mode.text == "omac" {
            let isMagma = vector.cipher.text == "magma"
            let key = try scene.key(isMagma ? CKK_MAGMA : CKK_KUZNECHIK, vector.key.bytes)
            let mechanism = isMagma ? CKM_MAGMA_MAC : CKM_KUZNECHIK_MAC
            // The standard's examples show the first half.
            let code = try scene.sign(mechanism, key, vector.pt.bytes)
            #expect(code.starts(with: vector.ct.bytes) && code.count == (isMagma ? 8 : 16))
            try check(scene, mechanism, [], key, vector.pt.bytes, code)
        }
        for vector in try JSON(vectors: "gost28147_imit.json").vectors.list
        where !vector.data.isNull && vector.divergent.isNull {
            let sBox = try #require(SBox.all.first { $0.name == vector.sbox.text })
            let isMeshed = vector.meshing.number == 1
            guard vector.data.bytes.count <= 1024 || isMeshed != (sBox == .gost28147Test) else { continue }
            let key = try scene.key(CKK_GOST28147, vector.key.bytes, [(CKA_GOST28147_PARAMS, sBox.oid)])
            try check(scene, CKM_GOST28147_MAC, vector.iv.bytes, key, vector.data.bytes, vector.mac4.bytes)
            count += 1
        }
        #expect(count > 40)
    }

    @Test("codes by HMAC of the SHA family are those of OpenSSL")
    func otherCodes() throws {
        let scene = try SecretKeyScene()
        let openssl = try OpenSSL()
        try openssl.write(Array("message".utf8), "message")
        let hashes = [
            ("sha1", CKM_SHA_1_HMAC), ("sha224", CKM_SHA224_HMAC), ("sha256", CKM_SHA256_HMAC),
            ("sha384", CKM_SHA384_HMAC), ("sha512", CKM_SHA512_HMAC),
        ]
        let key = try scene.key(CKK_GENERIC_SECRET, Array("secret".utf8))
        for (hash, mechanism) in hashes {
            let code = try #require(try openssl.output("dgst -\(hash) -hmac secret -binary message"))
            try check(scene, mechanism, [], key, Array("message".utf8), code)
        }
    }

    @Test("a key of one HMAC makes its codes, and no other's")
    func keysOfOneCode() throws {
        let scene = try SecretKeyScene()
        let types = [
            (CKK_SHA_1_HMAC, CKM_SHA_1_HMAC), (CKK_SHA224_HMAC, CKM_SHA224_HMAC), (CKK_SHA256_HMAC, CKM_SHA256_HMAC),
            (CKK_SHA384_HMAC, CKM_SHA384_HMAC), (CKK_SHA512_HMAC, CKM_SHA512_HMAC),
        ]
        let (secret, message) = (Array("secret".utf8), Array("message".utf8))
        let generic = try scene.key(CKK_GENERIC_SECRET, secret)
        for (type, own) in types {
            let key = try scene.key(type, secret)
            #expect(try scene.sign(own, key, message) == scene.sign(own, generic, message))
            for (_, other) in types + [(0, CKM_GOSTR3411_12_256_HMAC)] where other != own {
                #expect(throws: CKError.keyTypeInconsistent) { try scene.sign(other, key, message) }
            }
        }
    }

    @Test("a key of AES has 16, 24 or 32 bytes, and no other number")
    func aes() throws {
        let scene = try SecretKeyScene()
        for count in [16, 24, 32] {
            let value = [UInt8](repeating: 7, count: count)
            let key = try scene.key(CKK_AES, value, [(CKA_SENSITIVE, [0]), (CKA_EXTRACTABLE, [1])])
            #expect(try scene.application.attributes(scene.session, of: key)[CKA_VALUE] == value)
            let made = try scene.generate(CKM_AES_KEY_GEN, [(CKA_VALUE_LEN, CK_ULONG(count).bytes)])
            #expect(try scene.application.attributes(scene.session, of: made)[CKA_VALUE]?.count == count)
        }
        for count in [0, 15, 33, 64] {
            #expect(throws: CKError.attributeValueInvalid) {
                try scene.key(CKK_AES, [UInt8](repeating: 7, count: count))
            }
            #expect(throws: CKError(CKR_KEY_SIZE_RANGE)) {
                try scene.generate(CKM_AES_KEY_GEN, [(CKA_VALUE_LEN, CK_ULONG(count).bytes)])
            }
        }
    }

    @Test("AES in ECB and CBC, in one part and in several, is OpenSSL's")
    func aesCiphers() throws {
        let scene = try SecretKeyScene()
        let openssl = try OpenSSL()
        let text = (0..<64).map { UInt8($0) }
        let iv = [UInt8](repeating: 0xA5, count: 16)
        try openssl.write(text, "text")
        for count in [16, 24, 32] {
            let value = (0..<count).map { UInt8(3 * $0) }
            let key = try scene.key(CKK_AES, value)
            for (mode, mechanism, parameter) in [("ecb", CKM_AES_ECB, []), ("cbc", CKM_AES_CBC, iv)] {
                let options = "-aes-\(8 * count)-\(mode) -K \(value.hex)\(parameter.isEmpty ? "" : " -iv \(iv.hex)")"
                let wanted = try #require(try openssl.output("enc \(options) -nopad -in text"))
                for size in [nil, 5, 16, 33] {
                    let made = try scene.cipher(.encryption, mechanism, with: parameter, key, text, parts: size)
                    #expect(made == wanted)
                    let opened = try scene.cipher(.decryption, mechanism, with: parameter, key, made, parts: size)
                    #expect(opened == text)
                }
                #expect(throws: CKError.dataLengthRange) {
                    try scene.cipher(.encryption, mechanism, with: parameter, key, Array(text.dropLast()))
                }
            }
            for length in [0, 15, 16, 64] {
                let part = Array(text.prefix(length))
                try openssl.write(part, "part")
                let wanted = try #require(
                    try openssl.output("enc -aes-\(8 * count)-cbc -K \(value.hex) -iv \(iv.hex) -in part"))
                for size in [nil, 5, 16] {
                    #expect(try scene.cipher(.encryption, CKM_AES_CBC_PAD, with: iv, key, part, parts: size) == wanted)
                    #expect(try scene.cipher(.decryption, CKM_AES_CBC_PAD, with: iv, key, wanted, parts: size) == part)
                }
            }
            #expect(throws: CKError(CKR_ENCRYPTED_DATA_INVALID)) {
                try scene.cipher(.decryption, CKM_AES_CBC_PAD, with: iv, key, text)
            }
            #expect(throws: CKError(CKR_ENCRYPTED_DATA_LEN_RANGE)) {
                try scene.cipher(.decryption, CKM_AES_CBC_PAD, with: iv, key, Array(text.dropLast()))
            }
            #expect(throws: CKError.mechanismParameterInvalid) { try scene.cipher(.encryption, CKM_AES_CBC, key, text) }
            #expect(throws: CKError.mechanismParameterInvalid) {
                try scene.cipher(.encryption, CKM_AES_ECB, with: iv, key, text)
            }
        }
    }

    private func check(
        _ scene: SecretKeyScene, _ mechanism: CK_MECHANISM_TYPE, _ parameter: [UInt8], _ key: CK_OBJECT_HANDLE,
        _ data: [UInt8], _ code: [UInt8]
    ) throws {
        #expect(try scene.sign(mechanism, with: parameter, key, data) == code)
        try scene.verify(mechanism, with: parameter, key, data, code)
        #expect(throws: CKError.signatureInvalid) {
            try scene.verify(mechanism, with: parameter, key, data, code.dropLast() + [(code.last ?? 0) ^ 1])
        }
        #expect(throws: CKError.signatureLengthRange) {
            try scene.verify(mechanism, with: parameter, key, data, Array(code.dropLast()))
        }
    }

    @Test("a digest of a key is the digest of its value")
    func digestKey() throws {
        let scene = try SecretKeyScene()
        let key = try scene.key(CKK_GENERIC_SECRET, Array("abc".utf8))
        let digest = try scene.inSession { session throws(CKError) in
            try session.digestInit(Mechanism(type: CKM_SHA256, parameter: []))
            try session.digestKey(key)
            return try session.digestFinal()
        }
        // FIPS 180-4, the first example.
        #expect(digest.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try scene.digest(CKM_SHA_1, Array("abc".utf8)).hex == "a9993e364706816aba3e25717850c26c9cd0d89d")
        let keys = try scene.application.makeKeys(scene.session, onToken: false)
        #expect(throws: CKError(CKR_KEY_INDIGESTIBLE)) {
            try scene.inSession { session throws(CKError) in
                try session.digestInit(Mechanism(type: CKM_SHA256, parameter: []))
                try session.digestKey(keys.privateKey)
            }
        }
        // The standard lets a refused key end no operation: the digest goes on.
        let data = try scene.application.create(scene.session, ObjectTests.data)
        for other in [data, 0] {
            #expect(throws: CKError.keyHandleInvalid) {
                try scene.inSession { session throws(CKError) in try session.digestKey(other) }
            }
        }
        let goneOn = try scene.inSession { session throws(CKError) in
            try session.digestKey(key)
            return try session.digestFinal()
        }
        #expect(goneOn == digest)
    }

    @Test("the dual functions give both operations the plaintext")
    func dual() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_GOST28147_KEY_GEN)
        let text = [UInt8](repeating: 9, count: 21)
        let mechanism = Mechanism(type: CKM_GOST28147, parameter: [])
        let results = try scene.inSession { session throws(CKError) in
            try session.digestInit(Mechanism(type: CKM_GOSTR3411_12_256, parameter: []))
            try session.encryptInit(mechanism, key: key)
            let ciphertext = try session.dualUpdate(text.span, .encryption, .digest)
            _ = try session.cipherFinal(.encryption)
            let first = try session.digestFinal()
            try session.digestInit(Mechanism(type: CKM_GOSTR3411_12_256, parameter: []))
            try session.decryptInit(mechanism, key: key)
            let plaintext = try session.dualUpdate(ciphertext.bytes, .decryption, .digest)
            _ = try session.cipherFinal(.decryption)
            let second = try session.digestFinal()
            return (first, second, [UInt8](copying: plaintext))
        }
        let digest = try scene.digest(CKM_GOSTR3411_12_256, text)
        #expect(results.0 == digest && results.1 == digest && results.2 == text)
    }
}
