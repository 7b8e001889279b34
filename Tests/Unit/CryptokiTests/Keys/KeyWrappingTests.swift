// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import GOST
import TestSupport
import Testing

@Suite("Wrapping keys")
struct KeyWrappingTests {
    private static func check(
        _ scene: SecretKeyScene, _ mechanism: Mechanism, _ wrapping: CK_OBJECT_HANDLE, _ value: [UInt8],
        _ wrapped: [UInt8]
    ) throws {
        let key = try scene.key(CKK_GENERIC_SECRET, value)
        let result = try scene.inSession { session throws(CKError) in
            try session.wrapKey(mechanism, key, with: wrapping)
        }
        #expect(result == wrapped)
        let template = try Attributes(template: [(CKA_KEY_TYPE, CKK_GENERIC_SECRET.bytes)])
        func unwrap(_ bytes: [UInt8]) throws(CKError) -> CK_OBJECT_HANDLE {
            try scene.inSession { session throws(CKError) in
                try session.unwrapKey(mechanism, bytes, with: wrapping, template: template)
            }
        }
        let unwrapped = try unwrap(wrapped)
        #expect(try scene.application.attributes(scene.session, of: unwrapped)[CKA_VALUE] == value)
        #expect(throws: CKError(CKR_WRAPPED_KEY_INVALID)) { try unwrap(wrapped.dropLast() + [wrapped[0] ^ 1]) }
        #expect(throws: CKError(CKR_WRAPPED_KEY_LEN_RANGE)) { try unwrap([]) }
    }

    @Test("every published key is wrapped by GOST 28147-89 and unwrapped: CEK_ENC and CEK_MAC, UKM as parameter")
    func gost28147() throws {
        let scene = try SecretKeyScene()
        var count = 0
        for vector in try JSON(vectors: "gost_keywrap.json").vectors.list where vector.diversified_kek.isNull {
            let sBox = try #require(SBox.all.first { $0.name == vector.sbox.text })
            let wrapped = vector.wrapped.bytes
            let kek = try scene.key(CKK_GOST28147, vector.kek.bytes, [(CKA_GOST28147_PARAMS, sBox.oid)])
            let mechanism = Mechanism(type: CKM_GOST28147_KEY_WRAP, parameter: Array(wrapped.prefix(8)))
            try Self.check(scene, mechanism, kek, vector.cek.bytes, Array(wrapped.dropFirst(8)))
            count += 1
        }
        #expect(count > 5)
    }

    @Test("every published key is wrapped by KExp15 and unwrapped")
    func kexp15() throws {
        let scene = try SecretKeyScene()
        for vector in try JSON(vectors: "kexp15.json").vectors.list {
            let isMagma = vector.cipher.text == "magma"
            let twin = try scene.key(
                isMagma ? CKK_MAGMA_TWIN_KEY : CKK_KUZNECHIK_TWIN_KEY, vector.k_mac.bytes + vector.k_enc.bytes)
            let mechanism = Mechanism(
                type: isMagma ? CKM_MAGMA_KEXP_15_WRAP : CKM_KUZNECHIK_KEXP_15_WRAP, parameter: vector.iv.bytes)
            try Self.check(scene, mechanism, twin, vector.K.bytes, vector.out.bytes)
        }
    }

    @Test("keys that do not wrap, and parameters of a wrong length, are refused")
    func refusals() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_GOST28147_KEY_GEN)
        func wrap(
            _ mechanism: CK_MECHANISM_TYPE, _ parameter: Int, _ key: CK_OBJECT_HANDLE, with kek: CK_OBJECT_HANDLE
        ) -> CKError? {
            do throws(CKError) {
                _ = try scene.inSession { session throws(CKError) in
                    try session.wrapKey(
                        Mechanism(type: mechanism, parameter: [UInt8](repeating: 0, count: parameter)), key, with: kek)
                }
                return nil
            } catch {
                return error
            }
        }
        #expect(wrap(CKM_GOST28147_KEY_WRAP, 8, key, with: key) == nil)
        #expect(wrap(CKM_GOST28147_KEY_WRAP, 7, key, with: key) == .mechanismParameterInvalid)
        #expect(wrap(CKM_GOST28147_KEY_WRAP, 8, key, with: 999) == CKError(CKR_WRAPPING_KEY_HANDLE_INVALID))
        #expect(wrap(CKM_GOST28147_KEY_WRAP, 8, 999, with: key) == .keyHandleInvalid)
        #expect(wrap(CKM_MAGMA_KEXP_15_WRAP, 4, key, with: key) == CKError(CKR_WRAPPING_KEY_TYPE_INCONSISTENT))
        #expect(wrap(CKM_GOSTR3411, 0, key, with: key) == .mechanismInvalid)
    }
}
