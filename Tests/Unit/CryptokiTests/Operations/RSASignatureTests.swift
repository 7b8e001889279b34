// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import TestSupport
import Testing

@Suite("Signatures with RSA", .serialized)
struct RSASignatureTests {
    static let hashes: [(name: String, CK_MECHANISM_TYPE, CK_ULONG, size: Int)] = [
        ("sha1", CKM_SHA_1, CK_ULONG(CKG_MGF1_SHA1), 20), ("sha224", CKM_SHA224, CK_ULONG(CKG_MGF1_SHA224), 28),
        ("sha256", CKM_SHA256, CK_ULONG(CKG_MGF1_SHA256), 32), ("sha384", CKM_SHA384, CK_ULONG(CKG_MGF1_SHA384), 48),
        ("sha512", CKM_SHA512, CK_ULONG(CKG_MGF1_SHA512), 64),
    ]
    static let message = Array("a message of some length".utf8)

    /// Every mechanism that hashes, with the words by which the program does the same.
    private static let mechanisms: [(Mechanism, String)] =
        [
            (CKM_MD5_RSA_PKCS, "md5"), (CKM_SHA1_RSA_PKCS, "sha1"), (CKM_SHA224_RSA_PKCS, "sha224"),
            (CKM_SHA256_RSA_PKCS, "sha256"), (CKM_SHA384_RSA_PKCS, "sha384"), (CKM_SHA512_RSA_PKCS, "sha512"),
        ].map { (Mechanism($0), "-\($1)") }
        + zip(
            hashes,
            [
                CKM_SHA1_RSA_PKCS_PSS, CKM_SHA224_RSA_PKCS_PSS, CKM_SHA256_RSA_PKCS_PSS, CKM_SHA384_RSA_PKCS_PSS,
                CKM_SHA512_RSA_PKCS_PSS,
            ]
        ).flatMap { hash, mechanism in
            [0, hash.size, 5].map { salt in
                (
                    Mechanism(mechanism, hash.1, hash.2, CK_ULONG(salt)),
                    "-\(hash.name) -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:\(salt)"
                )
            }
        }

    @Test("what a mechanism signs, in one part or in several, the openssl program verifies, and the other way round")
    func hashing() throws {
        let scene = try RSAScene(bits: 1153)
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        let message = Self.message
        try scene.openssl.write(message, "message")
        for (mechanism, words) in Self.mechanisms {
            for parts in [[message], [Array(message.prefix(3)), [], Array(message.dropFirst(3))]] {
                let signature = try scene.scene.sign(mechanism, keys.1, parts)
                try scene.openssl.write(signature, "ours")
                try scene.openssl.run("dgst \(words) -prverify key.pem -signature ours message")
            }
            try scene.openssl.run("dgst \(words) -sign key.pem -out theirs message")
            let signature = try scene.openssl.read("theirs")
            try scene.scene.verify(mechanism, keys.0, message, signature)
            #expect(throws: CKError.signatureInvalid) {
                try scene.scene.verify(mechanism, keys.0, message + [0], signature)
            }
            let (short, long) = (Array(signature.dropLast()), signature + [0])
            for signature in [short, long, []] {
                #expect(throws: CKError.signatureLengthRange) {
                    try scene.scene.verify(mechanism, keys.0, message, signature)
                }
            }
        }
    }

    @Test("a digest or a DigestInfo is signed as it is, and only of a length that the scheme takes")
    func given() throws {
        let scene = try RSAScene()
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        let digest = [UInt8](repeating: 7, count: 32)
        let cases: [(Mechanism, [UInt8], String)] = [
            (Mechanism(CKM_RSA_PKCS), digest, "-pkeyopt rsa_padding_mode:pkcs1"),
            (
                Mechanism(CKM_RSA_PKCS_PSS, CKM_SHA256, CK_ULONG(CKG_MGF1_SHA1), 9), digest,
                """
                -pkeyopt rsa_padding_mode:pss -pkeyopt digest:sha256 -pkeyopt rsa_mgf1_md:sha1 \
                -pkeyopt rsa_pss_saltlen:9
                """
            ),
        ]
        for (mechanism, input, words) in cases {
            let signature = try scene.scene.sign(mechanism, keys.1, [input])
            try scene.openssl.write(input, "input")
            try scene.openssl.write(signature, "ours")
            try scene.openssl.run("pkeyutl -verify -inkey key.pem -in input -sigfile ours \(words)")
            try scene.scene.verify(mechanism, keys.0, input, signature)
        }
        let lengths: [(Mechanism, Int, CKError)] = [
            (Mechanism(CKM_RSA_PKCS), 118, .dataLengthRange), (Mechanism(CKM_RSA_X_509), 129, .dataLengthRange),
            (Mechanism(CKM_RSA_PKCS_PSS, CKM_SHA256, CK_ULONG(CKG_MGF1_SHA256), 32), 31, .dataLengthRange),
        ]
        for (mechanism, count, error) in lengths {
            #expect(throws: error) {
                try scene.scene.sign(mechanism, keys.1, [[UInt8](repeating: 1, count: count)])
            }
        }
        let big = [UInt8](repeating: 0xFF, count: 128)
        #expect(throws: CKError(CKR_DATA_INVALID)) { try scene.scene.sign(Mechanism(CKM_RSA_X_509), keys.1, [big]) }
    }

    @Test("a signature gives back what it holds, by C_VerifyRecover")
    func recovery() throws {
        let scene = try RSAScene()
        let keys = (try scene.create(scene.publicTemplate), try scene.create(scene.privateTemplate))
        let data = Array("recovered".utf8)
        for (mechanism, words) in [(CKM_RSA_PKCS, "pkcs1"), (CKM_RSA_X_509, "none")] {
            try scene.scene.inSession { session throws(CKError) in
                #expect(throws: CKError.operationNotInitialised) { try session.signRecover(data.span) }
                try session.signRecoverInit(Mechanism(mechanism), key: keys.1)
                #expect(throws: CKError.operationActive) {
                    try session.signRecoverInit(Mechanism(mechanism), key: keys.1)
                }
            }
            let signature = try scene.scene.inSession { session throws(CKError) in
                try session.signRecover(data.span)
            }
            let recovered = try scene.scene.inSession { session throws(CKError) in
                try session.verifyRecoverInit(Mechanism(mechanism), key: keys.0)
                // The first answer may have found too small a buffer.
                _ = try session.verifyRecover(signature)
                let recovered = try session.verifyRecover(signature)
                session.verifyRecoverEnd()
                return recovered
            }
            try scene.openssl.write(signature, "signature")
            let theirs = try scene.openssl.output(
                "pkeyutl -verifyrecover -inkey key.pem -in signature -pkeyopt rsa_padding_mode:\(words)")
            #expect(recovered == theirs)
            #expect(recovered.suffix(data.count) == data[...])
        }
        try scene.scene.inSession { session throws(CKError) in
            try session.verifyRecoverInit(Mechanism(CKM_RSA_PKCS), key: keys.0)
        }
        #expect(throws: CKError.signatureInvalid) {
            try scene.scene.application.library.withSession(scene.scene.session, during: CKF_VERIFY_RECOVER) {
                session throws(CKError) in
                try session.verifyRecover([UInt8](repeating: 1, count: 128))
            }
        }
        try scene.scene.inSession { session throws(CKError) in
            #expect(throws: CKError.operationNotInitialised) { try session.verifyRecover([]) }
            #expect(throws: CKError.mechanismInvalid) {
                try session.signRecoverInit(Mechanism(CKM_SHA256_RSA_PKCS), key: keys.1)
            }
        }
    }

    @Test("a mechanism's parameter and the key's length, type and permission are looked at first")
    func refusals() throws {
        let scene = try RSAScene(bits: 512)
        let key = try scene.create(scene.privateTemplate)
        let decrypting = try scene.create(scene.privateTemplate + [(CKA_SIGN, [0])])
        let other = try scene.scene.generate(CKM_MAGMA_KEY_GEN)
        func refusal(_ mechanism: Mechanism, _ key: CK_OBJECT_HANDLE) -> CKError? {
            do throws(CKError) {
                try scene.scene.inSession { session throws(CKError) in try session.signInit(mechanism, key: key) }
                return nil
            } catch {
                return error
            }
        }
        let sha256 = CK_ULONG(CKG_MGF1_SHA256)
        #expect(refusal(Mechanism(CKM_RSA_PKCS, 1), key) == .mechanismParameterInvalid)
        #expect(refusal(Mechanism(CKM_RSA_PKCS_PSS), key) == .mechanismParameterInvalid)
        #expect(refusal(Mechanism(CKM_RSA_PKCS_PSS, CKM_SHA256, sha256), key) == .mechanismParameterInvalid)
        #expect(refusal(Mechanism(CKM_RSA_PKCS_PSS, CKM_MD5, sha256, 0), key) == .mechanismParameterInvalid)
        #expect(refusal(Mechanism(CKM_RSA_PKCS_PSS, CKM_SHA256, 9, 0), key) == .mechanismParameterInvalid)
        #expect(
            refusal(Mechanism(CKM_SHA1_RSA_PKCS_PSS, CKM_SHA256, sha256, 0), key) == .mechanismParameterInvalid)
        #expect(
            refusal(Mechanism(CKM_SHA256_RSA_PKCS_PSS, CKM_SHA256, sha256, 31), key) == CKError(CKR_KEY_SIZE_RANGE))
        #expect(refusal(Mechanism(CKM_SHA512_RSA_PKCS), key) == CKError(CKR_KEY_SIZE_RANGE))
        #expect(refusal(Mechanism(CKM_RSA_PKCS), decrypting) == .keyFunctionNotPermitted)
        #expect(refusal(Mechanism(CKM_RSA_PKCS), 99) == .keyHandleInvalid)
        #expect(refusal(Mechanism(CKM_RSA_PKCS_OAEP), key) == .mechanismInvalid)
        #expect(refusal(Mechanism(CKM_GOSTR3410), key) == .keyTypeInconsistent)
        #expect(refusal(Mechanism(CKM_RSA_PKCS), other) == .keyTypeInconsistent)
        #expect(refusal(Mechanism(CKM_RSA_PKCS), key) == nil)
    }
}
