// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import TestSupport
import Testing

@Suite("Elliptic curves in a session", .serialized)
struct ECTests {
    static let p256 = [UInt8](hex: "06082A8648CE3D030107")
    static let hashes: [(name: String, CK_MECHANISM_TYPE)] = [
        ("sha1", CKM_ECDSA_SHA1), ("sha224", CKM_ECDSA_SHA224), ("sha256", CKM_ECDSA_SHA256),
        ("sha384", CKM_ECDSA_SHA384), ("sha512", CKM_ECDSA_SHA512),
    ]

    private static func generate(
        _ scene: SecretKeyScene, _ publicTemplate: ObjectTests.Template = [(CKA_EC_PARAMS, p256)],
        _ privateTemplate: ObjectTests.Template = [(CKA_DERIVE, [1])]
    ) throws(CKError) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        let publicTemplate = try Attributes(template: publicTemplate)
        let privateTemplate = try Attributes(template: privateTemplate)
        return try scene.inSession { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(CKM_EC_KEY_PAIR_GEN), publicTemplate: publicTemplate, privateTemplate: privateTemplate)
        }
    }

    /// A private key that the program has made in the file key.pem, and its public half.
    private static func create(
        _ scene: SecretKeyScene, _ openssl: OpenSSL
    ) throws -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE, point: [UInt8]) {
        try openssl.run("ecparam -name prime256v1 -genkey -noout -out key.pem")
        try openssl.run("pkey -in key.pem -pubout -outform DER -out public")
        try openssl.run("ec -in key.pem -outform DER -no_public -out private")
        let point = Array(try openssl.read("public").suffix(65))
        // SEQUENCE, version, and the scalar in an OCTET STRING (RFC 5915, 3).
        let scalar = Array(try openssl.read("private").dropFirst(7).prefix(32))
        let keys = try [
            [(CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_EC_POINT, point)],
            [(CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_VALUE, scalar), (CKA_DERIVE, [1])],
        ].map { template in
            try scene.application.create(
                scene.session, template + [(CKA_KEY_TYPE, CKK_EC.bytes), (CKA_EC_PARAMS, p256)])
        }
        return (keys[0], keys[1], point)
    }

    @Test("a key pair has a point in an OCTET STRING, and hides its number unless asked not to")
    func generation() throws {
        let (scene, openssl) = (try SecretKeyScene(), try OpenSSL())
        let keys = try Self.generate(scene)
        let publicKey = try scene.application.attributes(scene.session, of: keys.0)
        let privateKey = try scene.application.attributes(scene.session, of: keys.1)
        let point = try #require(publicKey[CKA_EC_POINT])
        #expect(point.prefix(3) == [4, 65, 4] && point.count == 67)
        for attributes in [publicKey, privateKey] {
            #expect(attributes[CKA_EC_PARAMS] == Self.p256)
            #expect(try attributes.number(CKA_KEY_GEN_MECHANISM) == CKM_EC_KEY_PAIR_GEN)
        }
        #expect(privateKey[CKA_VALUE] == nil && Session.isSensitive(CKA_VALUE, in: privateKey))
        #expect(privateKey[CKA_EC_POINT] == nil)

        let open = try Self.generate(
            scene, [(CKA_EC_PARAMS, Self.p256)], [(CKA_SENSITIVE, [0]), (CKA_EXTRACTABLE, [1])])
        let value = try #require(try scene.application.attributes(scene.session, of: open.1)[CKA_VALUE])
        let number = [UInt8].object(0x04, value)
        try openssl.write(
            .object(0x30, [UInt8].object(0x02, [1]) + number + [UInt8].object(0xA0, Self.p256)), "key")
        try openssl.run("ec -inform DER -in key -pubout -outform DER -out public")
        #expect(
            try Array(openssl.read("public").suffix(65))
                == scene.application.attributes(scene.session, of: open.0)[CKA_EC_POINT]?.suffix(65).map { $0 })
    }

    @Test("a template names a curve that keys lie on here")
    func curves() throws {
        let scene = try SecretKeyScene()
        let (brainpool, p384) = ([UInt8](hex: "06092B2403030208010107"), [UInt8](hex: "06052B81040022"))
        let cases: [(ObjectTests.Template, CKError)] = [
            ([], .templateIncomplete),
            ([(CKA_EC_PARAMS, brainpool)], CKError(CKR_CURVE_NOT_SUPPORTED)),
            ([(CKA_EC_PARAMS, [1])], .domainParametersInvalid),
            ([(CKA_EC_PARAMS, Self.p256), (CKA_EC_POINT, [4])], .attributeReadOnly),
        ]
        for (template, error) in cases { #expect(throws: error) { try Self.generate(scene, template, []) } }
        #expect(throws: CKError.templateInconsistent) {
            try Self.generate(scene, [(CKA_EC_PARAMS, Self.p256)], [(CKA_EC_PARAMS, p384)])
        }
        for template: ObjectTests.Template in [
            [(CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_VALUE, [])],
            [(CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_VALUE, [UInt8](repeating: 0xFF, count: 32))],
            [(CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_EC_POINT, [4, 65, 4])],
        ] {
            #expect(throws: CKError.attributeValueInvalid) {
                try scene.application.create(
                    scene.session, template + [(CKA_KEY_TYPE, CKK_EC.bytes), (CKA_EC_PARAMS, Self.p256)])
            }
        }
    }

    @Test("what a mechanism signs, the openssl program verifies, and the other way round")
    func signatures() throws {
        let (scene, openssl) = (try SecretKeyScene(), try OpenSSL())
        let keys = try Self.create(scene, openssl)
        let message = Array("message".utf8)
        try openssl.write(message, "message")
        for (hash, mechanism) in Self.hashes {
            let signature = try scene.sign(
                Mechanism(mechanism), keys.1, [Array(message.prefix(2)), Array(message.dropFirst(2))])
            #expect(signature.count == 64)
            let numbers = [signature.prefix(32), signature.suffix(32)].map { [UInt8].object(0x02, [0] + $0) }
            try scene.verify(Mechanism(mechanism), keys.0, message, signature)
            let digest = try #require(try openssl.output("dgst -\(hash) -binary message"))
            try scene.verify(Mechanism(CKM_ECDSA), keys.0, digest, signature)
            try openssl.write(.object(0x30, Self.minimal(numbers)), "ours")
            try openssl.run("dgst -\(hash) -prverify key.pem -signature ours message")
            #expect(throws: CKError.signatureInvalid) {
                try scene.verify(Mechanism(mechanism), keys.0, message + [0], signature)
            }
            #expect(throws: CKError.signatureLengthRange) {
                try scene.verify(Mechanism(mechanism), keys.0, message, signature + [0])
            }
        }
    }

    @Test(
        "a signature is as long as two coordinates",
        arguments: [
            ("06082A8648CE3D030101", 48), ("06052B81040021", 56), ("06052B81040022", 96), ("06052B81040023", 132),
        ])
    func otherCurves(_ curve: String, count: Int) throws {
        let scene = try SecretKeyScene()
        let keys = try Self.generate(scene, [(CKA_EC_PARAMS, [UInt8](hex: curve))])
        let signature = try scene.sign(Mechanism(CKM_ECDSA_SHA512), keys.1, [[1, 2, 3]])
        #expect(signature.count == count)
        try scene.verify(Mechanism(CKM_ECDSA_SHA512), keys.0, [1, 2, 3], signature)
        try scene.inSession { session throws(CKError) in
            try session.signInit(Mechanism(CKM_ECDSA), key: keys.1)
            #expect(try session.signatureSize() == count)
        }
    }

    /// INTEGERs without needless zeros.
    private static func minimal(_ integers: [[UInt8]]) -> [UInt8] {
        integers.flatMap { integer in
            let digits = integer.dropFirst(2).drop { $0 == 0 }
            return [UInt8].object(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
        }
    }

    @Test("R16: both sides derive the same key, from a point that is bare or in an OCTET STRING, compressed or not")
    func agreement() throws {
        let (scene, openssl) = (try SecretKeyScene(), try OpenSSL())
        let ours = try Self.generate(scene)
        let theirs = try Self.create(scene, openssl)
        let point = try #require(try scene.application.attributes(scene.session, of: ours.0)[CKA_EC_POINT])
        let info = [UInt8](hex: "3059301306072a8648ce3d020106082a8648ce3d030107034200") + point.dropFirst(2)
        try openssl.write(info, "peer")
        try openssl.run("pkeyutl -derive -inkey key.pem -peerkey peer -peerform DER -out secret")
        let secret = try openssl.read("secret")
        // 02 or 03 by the parity of Y, then X (SEC 1, 2.3.3).
        let compressed = [2 + (theirs.point[64] & 1)] + theirs.point[1...32]
        for (key, publicData) in [
            (theirs.1, point), (theirs.1, Array(point.dropFirst(2))), (ours.1, theirs.point), (ours.1, compressed),
            (ours.1, [4, 33] + compressed),
        ] {
            #expect(try Self.derive(scene, key, publicData) == secret)
            // Truncation removes bytes from the leading end.
            #expect(try Self.derive(scene, key, publicData, count: 16) == Array(secret.suffix(16)))
            #expect(throws: CKError.templateInconsistent) { try Self.derive(scene, key, publicData, count: 33) }
        }
        let kdfs: [(CK_ULONG, String)] = [
            (CK_ULONG(CKD_SHA1_KDF), "SHA1"), (CK_ULONG(CKD_SHA224_KDF), "SHA224"),
            (CK_ULONG(CKD_SHA256_KDF), "SHA256"), (CK_ULONG(CKD_SHA384_KDF), "SHA384"),
            (CK_ULONG(CKD_SHA512_KDF), "SHA512"),
        ]
        for (kdf, hash) in kdfs {
            let words = """
                kdf -keylen 100 -binary -kdfopt digest:\(hash) -kdfopt hexkey:\(secret.hex) -kdfopt hexinfo:0102 X963KDF
                """
            let expected = try #require(try openssl.output(words))
            #expect(try Self.derive(scene, ours.1, theirs.point, kdf: kdf, info: [1, 2], count: 100) == expected)
            #expect(throws: CKError.templateIncomplete) { try Self.derive(scene, ours.1, theirs.point, kdf: kdf) }
        }
        for (kdf, info, publicData): (CK_ULONG, [UInt8], [UInt8]) in [
            (CK_ULONG(CKD_NULL), [1], theirs.point), (99, [], theirs.point), (CK_ULONG(CKD_NULL), [], [4]),
            (CK_ULONG(CKD_NULL), [], [2] + [UInt8](repeating: 0xFF, count: 32)),
            (CK_ULONG(CKD_NULL), [], [4, 33] + compressed.dropLast()),
        ] {
            #expect(throws: CKError.mechanismParameterInvalid) {
                try Self.derive(scene, ours.1, publicData, kdf: kdf, info: info, count: 32)
            }
        }
        #expect(throws: CKError.keyTypeInconsistent) { try Self.derive(scene, ours.0, theirs.point) }
        let signing = try Self.generate(scene, [(CKA_EC_PARAMS, Self.p256)], [])
        #expect(throws: CKError.keyFunctionNotPermitted) { try Self.derive(scene, signing.1, theirs.point) }
    }

    @Test("a derived key of AES has the length that its template tells, and without one there is none")
    func derivedAES() throws {
        let scene = try SecretKeyScene()
        let (ours, theirs) = (try Self.generate(scene), try Self.generate(scene))
        let point = try #require(try scene.application.attributes(scene.session, of: theirs.0)[CKA_EC_POINT])
        let aes: ObjectTests.Template = [(CKA_KEY_TYPE, CKK_AES.bytes)]
        for kdf in [CK_ULONG(CKD_NULL), CK_ULONG(CKD_SHA256_KDF)] {
            #expect(throws: CKError.templateIncomplete) { try Self.derive(scene, ours.1, point, kdf: kdf, aes) }
            for count in [16, 24, 32] {
                #expect(try Self.derive(scene, ours.1, point, kdf: kdf, count: count, aes)?.count == count)
            }
            #expect(throws: CKError.templateInconsistent) {
                try Self.derive(scene, ours.1, point, kdf: kdf, count: 20, aes)
            }
        }
    }

    /// The value of a derived secret.
    private static func derive(
        _ scene: SecretKeyScene, _ key: CK_OBJECT_HANDLE, _ publicData: [UInt8],
        kdf: CK_ULONG = CK_ULONG(CKD_NULL), info: [UInt8] = [], count: Int? = nil, _ more: ObjectTests.Template = []
    ) throws -> [UInt8]? {
        let template = try Attributes(template: more + (count.map { [(CKA_VALUE_LEN, CK_ULONG($0).bytes)] } ?? []))
        let mechanism = Mechanism(
            type: CKM_ECDH1_DERIVE, parameter: [],
            structure: .agreement(AgreementParameters(derivation: kdf, publicData: publicData, ukm: info)))
        let derived = try scene.inSession { session throws(CKError) in
            try session.deriveKey(mechanism, from: key, template: template)
        }
        return try scene.application.attributes(scene.session, of: derived)[CKA_VALUE]
    }
}
