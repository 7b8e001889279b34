// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import GOST
import Testing
import TestSupport

@Suite("Encryption and decryption with keys of a session")
struct CipherTests {
    private struct Case {
        var name: String
        var type: CK_KEY_TYPE
        var mechanism: CK_MECHANISM_TYPE
        var parameter: [UInt8] = []
        var key: [UInt8]
        var plaintext: [UInt8]
        var ciphertext: [UInt8]
        var sBox: SBox?
    }

    private static func sBox(_ vector: JSON) throws -> SBox {
        try #require(SBox.all.first { $0.name == vector.sbox.text })
    }

    private static func cases28147() throws -> [Case] {
        var cases: [Case] = []
        for vector in try JSON(vectors: "gost28147_ecb.json").vectors.list {
            cases.append(
                Case(
                    name: vector.id.text ?? "", type: CKK_GOST28147, mechanism: CKM_GOST28147_ECB,
                    key: vector.key.bytes, plaintext: vector.pt.bytes, ciphertext: vector.ct.bytes,
                    sBox: try sBox(vector)))
        }
        // The mode follows from the parameter set: CFB with key meshing, but CNT without it for the test set.
        for (file, isTest) in [("gost28147_cfb.json", false), ("gost28147_cnt.json", true)] {
            for vector in try JSON(vectors: file).vectors.list where !vector.ct.isNull {
                let sBox = try sBox(vector)
                let isMeshed = vector.meshing.number == 1
                guard (sBox == .gost28147Test) == isTest, vector.pt.bytes.count <= 1024 || isMeshed != isTest else {
                    continue
                }
                cases.append(
                    Case(
                        name: vector.id.text ?? "", type: CKK_GOST28147, mechanism: CKM_GOST28147,
                        parameter: vector.iv.bytes, key: vector.key.bytes, plaintext: vector.pt.bytes,
                        ciphertext: vector.ct.bytes, sBox: sBox))
            }
        }
        return cases
    }

    private static func cases() throws -> [Case] {
        var cases: [Case] = []
        func add(_ vector: JSON, _ magma: CK_MECHANISM_TYPE, _ kuznyechik: CK_MECHANISM_TYPE, _ parameter: [UInt8]) {
            let isMagma = vector.cipher.text == "magma"
            cases.append(
                Case(
                    name: vector.id.text ?? "", type: isMagma ? CKK_MAGMA : CKK_KUZNECHIK,
                    mechanism: isMagma ? magma : kuznyechik, parameter: parameter, key: vector.key.bytes,
                    plaintext: vector.pt.bytes, ciphertext: vector.ct.bytes + vector.tag.bytes))
        }
        for vector in try JSON(vectors: "gost3413_modes.json").vectors.list where vector.mode.text == "ecb" {
            add(vector, CKM_MAGMA_ECB, CKM_KUZNECHIK_ECB, [])
        }
        for vector in try JSON(vectors: "acpkm.json").vectors.list where vector.alg.text == "CTR-ACPKM" {
            let section = UInt32(try #require(vector.section_bytes.number))
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: section >> (8 * $0)) }
            add(vector, CKM_MAGMA_CTR_ACPKM, CKM_KUZNECHIK_CTR_ACPKM, bytes + vector.iv.bytes)
        }
        for vector in try JSON(vectors: "mgm.json").vectors.list
        where !vector.key.isNull && vector.aad.bytes.isEmpty && !vector.pt.bytes.isEmpty {
            add(vector, CKM_MAGMA_MGM, CKM_KUZNECHIK_MGM, vector.icn.bytes)
        }
        return cases
    }

    @Test("every published text is encrypted and decrypted, in one part and in parts of any length")
    func vectors() throws {
        let scene = try SecretKeyScene()
        let cases = try Self.cases() + Self.cases28147()
        #expect(Set(cases.map(\.mechanism)).count == 8)
        for one in cases {
            let parameters = one.sBox.map { [(CKA_GOST28147_PARAMS, $0.oid)] } ?? []
            let key = try scene.key(one.type, one.key, parameters)
            for size in [nil, 1, 7, 33] {
                let ciphertext = try scene.cipher(
                    .encryption, one.mechanism, with: one.parameter, key, one.plaintext, parts: size)
                #expect(ciphertext == one.ciphertext, "\(one.name)")
                let plaintext = try scene.cipher(
                    .decryption, one.mechanism, with: one.parameter, key, one.ciphertext, parts: size)
                #expect(plaintext == one.plaintext, "\(one.name)")
            }
        }
    }

    @Test("CKM_GOST28147 without a parameter begins with zeros")
    func noParameter() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_GOST28147_KEY_GEN)
        let text = [UInt8](repeating: 5, count: 20)
        let zeros = [UInt8](repeating: 0, count: 8)
        #expect(
            try scene.cipher(.encryption, CKM_GOST28147, key, text)
                == scene.cipher(.encryption, CKM_GOST28147, with: zeros, key, text))
    }

    @Test("what is not whole blocks is refused, and ends the operation")
    func lengths() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_MAGMA_KEY_GEN)
        let text = [UInt8](repeating: 5, count: 9)
        for size in [nil, 4] {
            #expect(throws: CKError(CKR_DATA_LEN_RANGE)) {
                try scene.cipher(.encryption, CKM_MAGMA_ECB, key, text, parts: size)
            }
            #expect(throws: CKError(CKR_ENCRYPTED_DATA_LEN_RANGE)) {
                try scene.cipher(.decryption, CKM_MAGMA_ECB, key, text, parts: size)
            }
        }
        #expect(throws: CKError.operationNotInitialised) {
            try scene.inSession { session throws(CKError) in _ = try session.cipherFinal(.encryption) }
        }
    }

    @Test("a text of MGM that was changed gives nothing")
    func authenticity() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_KUZNECHIK_KEY_GEN)
        let nonce = [UInt8](repeating: 1, count: 16)
        let sealed = try scene.cipher(.encryption, CKM_KUZNECHIK_MGM, with: nonce, key, [1, 2, 3])
        #expect(sealed.count == 3 + 16)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: CKError(CKR_ENCRYPTED_DATA_INVALID)) {
                try scene.cipher(.decryption, CKM_KUZNECHIK_MGM, with: nonce, key, changed)
            }
        }
    }

    @Test("keys of another type, keys without permission, wrong parameters and second operations are refused")
    func refusals() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_MAGMA_KEY_GEN, [(CKA_DECRYPT, [0])])
        func begin(_ mechanism: CK_MECHANISM_TYPE, _ parameter: [UInt8], _ direction: CipherDirection) -> CKError? {
            do throws(CKError) {
                _ = try scene.cipher(direction, mechanism, with: parameter, key, [UInt8](repeating: 0, count: 16))
                return nil
            } catch {
                return error
            }
        }
        #expect(begin(CKM_MAGMA_ECB, [], .encryption) == nil)
        #expect(begin(CKM_MAGMA_ECB, [], .decryption) == .keyFunctionNotPermitted)
        #expect(begin(CKM_KUZNECHIK_ECB, [], .encryption) == .keyTypeInconsistent)
        #expect(begin(CKM_GOSTR3411, [], .encryption) == .mechanismInvalid)
        #expect(begin(CKM_MAGMA_ECB, [1], .encryption) == .mechanismParameterInvalid)
        for parameter in [[], [1, 0, 0, 0], [0, 0, 0, 0, 1, 2, 3, 4], [UInt8](repeating: 1, count: 12)] {
            #expect(begin(CKM_MAGMA_CTR_ACPKM, parameter, .encryption) == .mechanismParameterInvalid)
        }
        for parameter in [[], [UInt8](repeating: 1, count: 16), [UInt8](repeating: 0x80, count: 8)] {
            #expect(begin(CKM_MAGMA_MGM, parameter, .encryption) == .mechanismParameterInvalid)
        }
        #expect(throws: CKError.operationActive) {
            try scene.inSession { session throws(CKError) in
                try session.encryptInit(Mechanism(type: CKM_MAGMA_ECB, parameter: []), key: key)
                try session.encryptInit(Mechanism(type: CKM_MAGMA_ECB, parameter: []), key: key)
            }
        }
    }

    @Test("a logout ends what goes on with a private key")
    func logout() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_MAGMA_KEY_GEN)
        try scene.inSession { session throws(CKError) in
            try session.encryptInit(Mechanism(type: CKM_MAGMA_ECB, parameter: []), key: key)
            try session.logOut()
        }
        #expect(throws: CKError.operationNotInitialised) {
            try scene.inSession { session throws(CKError) in _ = try session.cipherFinal(.encryption) }
        }
    }
}
