// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Key pairs of RSA and ECDSA on the token, and keys from outside", .serialized)
struct TokenKeyPairTests {
    typealias Template = ObjectTests.Template
    static let identities = ["usb", "bt"]

    private static func start(_ identity: String) throws -> (EmulatedReader, Application, CK_SESSION_HANDLE) {
        try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
    }

    private static let token: Template = [(CKA_TOKEN, [1]), (CKA_ID, [5]), (CKA_LABEL, Array("pair".utf8))]

    private func generate(
        _ application: Application, _ session: CK_SESSION_HANDLE, _ mechanism: CK_MECHANISM_TYPE, _ publicKey: Template,
        _ privateKey: Template = []
    ) throws -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
        let templates = (
            try Attributes(template: Self.token + publicKey), try Attributes(template: Self.token + privateKey)
        )
        let keys = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: mechanism, parameter: []), publicTemplate: templates.0, privateTemplate: templates.1)
        }
        return (keys.0, keys.1)
    }

    @Test(
        "an RSA key pair of the token signs and decrypts for every later session", arguments: identities, [1024, 2048])
    func rsa(_ identity: String, _ bits: CK_ULONG) throws {
        let (_, application, session) = try Self.start(identity)
        let made = try generate(
            application, session, CKM_RSA_PKCS_KEY_PAIR_GEN,
            [(CKA_MODULUS_BITS, bits.bytes), (CKA_PUBLIC_EXPONENT, [1, 0, 1])])
        let attributes = try application.attributes(session, of: made.privateKey)
        #expect(attributes[CKA_MODULUS]?.count == Int(bits) / 8)
        #expect(attributes[CKA_PUBLIC_EXPONENT] == [1, 0, 1])
        for type in [CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_COEFFICIENT] {
            #expect(attributes[type] == nil && Session.isSensitive(type, in: attributes))
        }
        for (type, value) in [
            (CKA_SENSITIVE, true), (CKA_EXTRACTABLE, false), (CKA_NEVER_EXTRACTABLE, true), (CKA_LOCAL, true),
            (CKA_SIGN, true), (CKA_DECRYPT, true), (CKA_ALWAYS_AUTHENTICATE, false),
        ] {
            #expect(try attributes.bool(type) == value)
        }
        try application.library.closeSession(session)
        let later = try application.open()
        let publicKey = try #require(try application.find(later, [(CKA_KEY_TYPE, CKK_RSA.bytes)]).first)
        try application.logIn(later)
        let privateKey = try #require(try application.find(later, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)]).first)
        #expect(try application.attributes(later, of: privateKey) == attributes)
        #expect(try application.attributes(later, of: publicKey).number(CKA_MODULUS_BITS) == bits)

        let message = Array("message".utf8)
        for mechanism in [CKM_RSA_PKCS, CKM_SHA256_RSA_PKCS, CKM_SHA1_RSA_PKCS] {
            let signature = try application.sign(later, privateKey, message, mechanism)
            try application.verify(later, publicKey, message, signature, mechanism)
        }
        let key = try RSAPublicKey(modulus: attributes[CKA_MODULUS] ?? [], publicExponent: [1, 0, 1])
        for (mechanism, scheme) in [(CKM_RSA_PKCS, RSAEncryptionScheme.pkcs1), (CKM_RSA_X_509, .raw)] {
            let text = scheme == .raw ? [UInt8](repeating: 0x5A, count: Int(bits) / 8) : message
            let cryptogram = try key.encrypt(text.span, scheme)
            #expect(try application.decrypt(later, privateKey, cryptogram, mechanism) == text)
        }
        for key in [publicKey, privateKey] { try application.destroy(later, key) }
        #expect(try application.find(later).isEmpty)
    }

    @Test("what an RSA key pair cannot be is refused, and nothing is left")
    func rsaTemplates() throws {
        let (_, application, session) = try TokenKeyTests.start(.ecp2)
        let bits = { (bits: CK_ULONG) -> Template in [(CKA_MODULUS_BITS, bits.bytes)] }
        let cases: [(Template, Template, CKError)] = [
            ([], [], .templateIncomplete), (bits(1000), [], CKError(CKR_KEY_SIZE_RANGE)),
            (bits(256), [], CKError(CKR_KEY_SIZE_RANGE)),
            // The second generation makes no longer keys.
            (bits(4096), [], CKError(CKR_KEY_SIZE_RANGE)),
            (bits(1024) + [(CKA_PUBLIC_EXPONENT, [3])], [], .attributeValueInvalid),
            (bits(1024) + [(CKA_MODULUS, [3])], [], .attributeReadOnly),
            (bits(1024), [(CKA_EXTRACTABLE, [1])], .templateInconsistent),
            (bits(1024), [(CKA_SENSITIVE, [0])], .templateInconsistent),
            (bits(1024), [(CKA_PRIVATE, [0])], .templateInconsistent),
            (bits(1024), [(CKA_PRIME_1, [3])], .attributeReadOnly),
        ]
        for (publicKey, privateKey, error) in cases {
            #expect(throws: error, "\(publicKey) \(privateKey)") {
                try generate(application, session, CKM_RSA_PKCS_KEY_PAIR_GEN, publicKey, privateKey)
            }
        }
        #expect(try application.find(session).isEmpty)
        _ = try generate(application, session, CKM_RSA_PKCS_KEY_PAIR_GEN, bits(512))
    }

    @Test("permissions and identifiers that a template of a key pair names are kept", arguments: identities)
    func permissions(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let keys = try generate(
            application, session, CKM_RSA_PKCS_KEY_PAIR_GEN,
            [(CKA_MODULUS_BITS, CK_ULONG(512).bytes), (CKA_ENCRYPT, [0]), (CKA_PRIVATE, [1])],
            [(CKA_DECRYPT, [0]), (CKA_SUBJECT, [0x30, 0]), (CKA_START_DATE, Array("20260101".utf8))])
        let expected = try [keys.publicKey, keys.privateKey].map { try application.attributes(session, of: $0) }
        #expect(try expected[0].bool(CKA_ENCRYPT) == false)
        #expect(throws: CKError.keyFunctionNotPermitted) {
            try application.decrypt(session, keys.privateKey, [UInt8](repeating: 1, count: 64), CKM_RSA_PKCS)
        }
        try application.library.closeSession(session)
        let later = try application.open()
        #expect(try application.find(later).isEmpty)
        try application.logIn(later)
        #expect(try application.find(later).map { try application.attributes(later, of: $0) } == expected)
    }

    @Test(
        "a key pair of ECDSA of the token signs what libcrypto verifies", arguments: identities,
        [ECCurve.p256, .secp256k1])
    func ecdsa(_ identity: String, _ curve: ECCurve) throws {
        let (_, application, session) = try Self.start(identity)
        let parameters: Template = [(CKA_EC_PARAMS, curve.oid)]
        let keys = try generate(application, session, CKM_EC_KEY_PAIR_GEN, parameters)
        let attributes = try application.attributes(session, of: keys.publicKey)
        let key = try ECPublicKey(curve: curve, bareOrDER: attributes[CKA_EC_POINT] ?? [])
        #expect(attributes[CKA_EC_POINT] == key.octetString && attributes[CKA_EC_PARAMS] == curve.oid)
        for count in [20, 32, 64] {
            let digest = [UInt8](repeating: 0xA5, count: count)
            let signature = try application.sign(session, keys.privateKey, digest, CKM_ECDSA)
            #expect(try key.isValidSignature(signature.span, of: digest.span))
        }
        let signature = try application.sign(session, keys.privateKey, [1, 2, 3], CKM_ECDSA_SHA256)
        try application.verify(session, keys.publicKey, [1, 2, 3], signature, CKM_ECDSA_SHA256)
        #expect(throws: CKError(CKR_CURVE_NOT_SUPPORTED)) {
            try generate(application, session, CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, ECCurve.p384.oid)])
        }
        try application.library.closeSession(session)
        let later = try application.open()
        #expect(try application.find(later).count == 1)
        try application.logIn(later)
        let found = try application.find(later)
        #expect(try application.attributes(later, of: found[0]) == attributes)
        for key in found { try application.destroy(later, key) }
        #expect(try application.find(later).isEmpty)
    }

    @Test("a private key on secp256k1 that the token takes signs what its public key verifies", arguments: identities)
    func secp256k1Import(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let scalar = [UInt8](repeating: 7, count: 32)
        let template: Template = [
            (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CKK_EC.bytes),
            (CKA_EC_PARAMS, ECCurve.secp256k1.oid), (CKA_VALUE, scalar),
        ]
        let privateKey = try application.create(session, template + Self.token)
        let key = try ECPrivateKey(curve: .secp256k1, scalar: Secret(copying: scalar))
        let signature = try application.sign(session, privateKey, scalar, CKM_ECDSA)
        #expect(try key.publicKey.isValidSignature(signature.span, of: scalar.span))
    }

    @Test("a token that does not take secp256k1 says so, and nothing is left on it")
    func withoutSecp256k1() throws {
        let (_, application, session) = try TokenKeyTests.start(.ecp2)
        for (curve, isTaken) in [(ECCurve.secp256k1, false), (.p256, true)] {
            let template: Template = [
                (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CKK_EC.bytes), (CKA_EC_PARAMS, curve.oid),
                (CKA_VALUE, [UInt8](repeating: 7, count: 32)),
            ]
            if isTaken {
                _ = try generate(application, session, CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, curve.oid)])
                continue
            }
            #expect(throws: CKError(CKR_CURVE_NOT_SUPPORTED)) {
                try generate(application, session, CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, curve.oid)])
            }
            #expect(throws: CKError(CKR_CURVE_NOT_SUPPORTED)) {
                try application.create(session, template + Self.token)
            }
            #expect(try application.find(session).isEmpty)
        }
    }

    @Test("the halves of a key pair can live in different places")
    func places() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let cases: [(CK_MECHANISM_TYPE, Template, CK_MECHANISM_TYPE)] = [
            (CKM_RSA_PKCS_KEY_PAIR_GEN, [(CKA_MODULUS_BITS, CK_ULONG(512).bytes)], CKM_RSA_PKCS),
            (CKM_GOSTR3410_KEY_PAIR_GEN, [], CKM_GOSTR3410),
            (CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, ECCurve.p256.oid)], CKM_ECDSA),
        ]
        for (generation, template, signing) in cases {
            for isPrivateKept in [true, false] {
                let places = [UInt8(isPrivateKept ? 0 : 1), UInt8(isPrivateKept ? 1 : 0)]
                let templates = try places.map { place in
                    try Attributes(template: [(CKA_TOKEN, [place])] + (place == places[0] ? template : []))
                }
                let keys = try application.library.withSession(session) { session throws(CKError) in
                    try session.generateKeyPair(
                        Mechanism(type: generation, parameter: []), publicTemplate: templates[0],
                        privateTemplate: templates[1])
                }
                let kept = isPrivateKept ? keys.1 : keys.0
                #expect(try application.find(session, [(CKA_TOKEN, [1])]) == [kept])
                let digest = [UInt8](repeating: 1, count: 32)
                let signature = try application.sign(session, keys.1, digest, signing)
                try application.verify(session, keys.0, digest, signature, signing)
                for key in [keys.0, keys.1] { try application.destroy(session, key) }
            }
        }
    }

    @Test("a private key of RSA keeps its modulus when its public half is deleted")
    func modulus() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let keys = try generate(
            application, session, CKM_RSA_PKCS_KEY_PAIR_GEN, [(CKA_MODULUS_BITS, CK_ULONG(512).bytes)])
        let attributes = try application.attributes(session, of: keys.privateKey)
        try application.destroy(session, keys.publicKey)
        #expect(try application.find(session) == [keys.privateKey])
        try application.library.closeSession(session)
        let later = try application.open()
        try application.logIn(later)
        let found = try #require(try application.find(later).first)
        #expect(try application.attributes(later, of: found) == attributes)
    }

    // MARK: Keys from outside

    @Test(
        "a private key of GOST R 34.10 that the token takes signs what its public key verifies", arguments: identities)
    func gostImport(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let scalar = [UInt8](repeating: 7, count: 32)
        let privateKey = try application.create(session, ObjectTests.privateKey + Self.token)
        let key = try PrivateKey(curve: .cryptoProA, scalar: Secret(copying: scalar))
        let digest = [UInt8](repeating: 3, count: 32)
        let signature = try application.sign(session, privateKey, digest, CKM_GOSTR3410)
        #expect(try key.publicKey().isValidSignature(signature, digest: digest))
        let attributes = try application.attributes(session, of: privateKey)
        for type in [CKA_LOCAL, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] {
            #expect(try attributes.bool(type) == false)
        }
        #expect(try attributes.bool(CKA_SENSITIVE) == true)
        try application.library.closeSession(session)
        let later = try application.open()
        try application.logIn(later)
        let found = try #require(try application.find(later).first)
        #expect(try application.attributes(later, of: found) == attributes)
        #expect(throws: CKError.templateInconsistent) {
            try application.create(later, ObjectTests.privateKey + Self.token + [(CKA_EXTRACTABLE, [1])])
        }
        try application.destroy(later, found)
        #expect(try application.find(later).isEmpty)
    }

    @Test("a private key of RSA that the token takes computes, and shows its modulus", arguments: identities)
    func rsaImport(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity)
        let key = try RSAPrivateKey(generating: 1024)
        let components = try key.components()
        let template = Self.template(components)
        let privateKey = try application.create(session, template + Self.token)
        let attributes = try application.attributes(session, of: privateKey)
        #expect(attributes[CKA_MODULUS] == key.publicKey.modulus)
        try application.library.closeSession(session)
        let later = try application.open()
        try application.logIn(later)
        let found = try #require(try application.find(later).first)
        #expect(try application.attributes(later, of: found) == attributes)
        let signature = try application.sign(later, found, [1, 2, 3], CKM_SHA256_RSA_PKCS)
        let digest = try Digest.digest([1, 2, 3].span, .sha256)
        #expect(
            try key.publicKey.isValidSignature(signature.span, of: digest.span, .pkcs1DigestInfo(.sha256)))
        #expect(throws: CKError.templateIncomplete) {
            try application.create(later, template.filter { $0.type != CKA_PRIME_1 } + Self.token)
        }
    }

    /// The template of a private key of RSA.
    static func template(_ components: borrowing RSAComponents) -> Template {
        var template: Template = [
            (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CKK_RSA.bytes), (CKA_MODULUS, components.modulus),
            (CKA_PUBLIC_EXPONENT, components.publicExponent),
            (CKA_PRIVATE_EXPONENT, [UInt8](copying: components.privateExponent)),
        ]
        switch components.factors {
        case .none: break
        case .some(let factors):
            template.append((CKA_PRIME_1, [UInt8](copying: factors.prime1)))
            template.append((CKA_PRIME_2, [UInt8](copying: factors.prime2)))
            template.append((CKA_EXPONENT_1, [UInt8](copying: factors.exponent1)))
            template.append((CKA_EXPONENT_2, [UInt8](copying: factors.exponent2)))
            template.append((CKA_COEFFICIENT, [UInt8](copying: factors.coefficient)))
        }
        return template
    }

    @Test("a key pair of a session can be moved to the token")
    func copies() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let keys = try application.makeKeys(session, onToken: false)
        let publicKey = try application.copy(session, keys.publicKey, [(CKA_TOKEN, [1])])
        let privateKey = try application.copy(session, keys.privateKey, [(CKA_TOKEN, [1])])
        let digest = [UInt8](repeating: 3, count: 32)
        let signature = try application.sign(session, privateKey, digest, CKM_GOSTR3410)
        try application.verify(session, keys.publicKey, digest, signature, CKM_GOSTR3410)
        try application.verify(session, publicKey, digest, signature, CKM_GOSTR3410)
        #expect(try application.find(session, [(CKA_TOKEN, [1])]) == [publicKey, privateKey])
    }
}

extension Application {
    func decrypt(
        _ session: CK_SESSION_HANDLE, _ key: CK_OBJECT_HANDLE, _ data: [UInt8], _ mechanism: CK_MECHANISM_TYPE
    ) throws -> [UInt8] {
        try library.withSession(session) { session throws(CKError) in
            try session.decryptInit(Mechanism(type: mechanism, parameter: []), key: key)
            let text = try session.cipher(data.span, .decryption)
            return [UInt8](copying: text)
        }
    }
}
