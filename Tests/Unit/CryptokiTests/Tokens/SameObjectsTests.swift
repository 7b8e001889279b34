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
import Token
import Tokens

/// Cryptoki and the floor below it, which KanalKit is built on, both write objects; each finds the other's as its own.
@Suite("Objects are stored by PKCS #11 and by its floor as the same records")
struct SameObjectsTests {
    typealias Template = [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])]

    private static let id: [UInt8] = [5, 6]
    private static let label = Array("object".utf8)
    private static let common: Template = [(CKA_TOKEN, [1]), (CKA_ID, id), (CKA_LABEL, label)]

    /// The objects on a new token after `body`, which gets an application's session, or that of the floor.
    private func objects(
        _ body: (Application, CK_SESSION_HANDLE, TokenSession) throws -> Void
    ) throws -> [TokenObject] {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let tokens = try application.library.tokens.openSession(with: 0)
        defer { tokens.close() }
        try body(application, session, tokens)
        return try tokens.objects { _ in true }
    }

    /// What a record says, without the numbers of files and the values that differ from key to key.
    private func record(of object: TokenObject) -> String {
        var lines = ["\(object.label) \(object.id) \(object.isPrivate) \(object.annotation == 0)"]
        let values: Set<UInt32> = [UInt32(CKA_VALUE), UInt32(CKA_MODULUS), UInt32(CKA_EC_POINT)]
        for (number, value) in object.attributes.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(String(number, radix: 16)) \(values.contains(number) ? "\(value.count) bytes" : "\(value)")")
        }
        switch object.content {
        case .key(let key):
            lines.append("\(key.half) \(key.properties.rawValue) \(key.kind.items(label: [], id: []).map(\.1))")
        case .certificate(let subject, let value): lines.append("\(subject) \(value ?? [])")
        case .data(let data): lines.append("\(data.application) \(data.objectIdentifier) \(data.value ?? [])")
        case .secretKey, .publicKey: break
        }
        return lines.joined(separator: "\n")
    }

    @Test(
        "A key pair, whether it agrees on secrets or not",
        arguments: [
            (CKM_GOSTR3410_KEY_PAIR_GEN, NewKeyPair.gost256), (CKM_GOSTR3410_512_KEY_PAIR_GEN, .gost512),
            (CKM_EC_KEY_PAIR_GEN, .p256), (CKM_RSA_PKCS_KEY_PAIR_GEN, .rsa(bits: 1024)),
        ], [false, true])
    func keyPairs(_ kind: (mechanism: CK_MECHANISM_TYPE, new: NewKeyPair), agrees: Bool) throws {
        let isRSA = kind.mechanism == CKM_RSA_PKCS_KEY_PAIR_GEN
        guard !(isRSA && agrees) else { return }
        let parameters: Template =
            switch kind.new {
            case .gost256: [(CKA_GOSTR3410_PARAMS, Curve.cryptoProA.oid)]
            case .gost512: [(CKA_GOSTR3410_PARAMS, Curve.tc26512A.oid)]
            case .p256: [(CKA_EC_PARAMS, ECCurve.p256.oid)]
            case .rsa(let bits): [(CKA_MODULUS_BITS, CK_ULONG(bits).bytes), (CKA_PUBLIC_EXPONENT, [1, 0, 1])]
            }
        let expected = try objects { application, session, _ in
            let templates = (
                try Attributes(template: Self.common + parameters),
                try Attributes(template: Self.common + [(CKA_PRIVATE, [1]), (CKA_DERIVE, [agrees ? 1 : 0])])
            )
            _ = try application.library.withSession(session) { session throws(CKError) in
                try session.generateKeyPair(
                    Mechanism(type: kind.mechanism, parameter: []), publicTemplate: templates.0,
                    privateTemplate: templates.1)
            }
        }
        let made = try objects { _, _, tokens in
            _ = try tokens.generateKeyPair(kind.new, id: Self.id, label: Self.label, agrees: agrees)
        }
        #expect(made.map(record) == expected.map(record))
    }

    @Test("A certificate, and data that all see or User alone", arguments: [false, true])
    func values(isPrivate: Bool) throws {
        let vectors = try JSON(vectors: "cms_pkcs12.json").vectors.list
        let file = try #require(vectors.first { $0.id.text == "cms-028" })
        let der = file.der.bytes
        let pfx = try PFX(parsing: der.span, password: Secret(copying: file.password.bytes))
        let certificate = try #require(pfx.certificates.first).der
        let expected = try objects { application, session, _ in
            let templates = [
                try Attributes(
                    template: Self.common + [
                        (CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_CERTIFICATE_TYPE, CKC_X_509.bytes),
                        (CKA_VALUE, certificate),
                    ]),
                try Attributes(template: [
                    (CKA_CLASS, CKO_DATA.bytes), (CKA_TOKEN, [1]), (CKA_PRIVATE, [isPrivate ? 1 : 0]),
                    (CKA_LABEL, Self.label), (CKA_APPLICATION, [7]), (CKA_VALUE, [1, 2, 3]),
                ]),
            ]
            try application.library.withSession(session) { session throws(CKError) in
                for template in templates { _ = try session.createObject(template) }
            }
        }
        let made = try objects { _, _, tokens in
            _ = try tokens.storeCertificate(certificate, id: Self.id, label: Self.label)
            _ = try tokens.storeData(
                Secret(copying: [1, 2, 3]), label: Self.label, application: [7], isPrivate: isPrivate)
        }
        #expect(made.map(record) == expected.map(record))
    }

    @Test("The keys of a file, as programs with PKCS #11 import them")
    func files() throws {
        let vector = try #require(JSON(vectors: "cms_pkcs12.json").vectors.list.first { $0.id.text == "cms-028" })
        let der = vector.der.bytes
        let pfx = try PFX(parsing: der.span, password: Secret(copying: vector.password.bytes))
        let key = try #require(pfx.keys.first)
        guard case .gost(let info) = pfx.certificate(of: key)?.publicKey ?? key.publicKey else {
            Issue.record("the file has a key of another kind")
            return
        }
        let scalar: [UInt8]
        switch key.material {
        case .gost(let own): scalar = [UInt8](copying: own.key.scalar)
        default: scalar = []
        }
        var imported: ImportedKey?
        let made = try objects { _, _, tokens in imported = try tokens.importPFX(key, of: pfx, label: Self.label) }
        let id = try #require(imported).id
        let parameters: Template = [
            (CKA_KEY_TYPE, (info.key.curve.coordinateSize == 64 ? CKK_GOSTR3410_512 : CKK_GOSTR3410).bytes),
            (CKA_GOSTR3410_PARAMS, info.key.curve.oid),
            (CKA_GOSTR3411_PARAMS, info.algorithm.algorithm.digestParameterSet), (CKA_TOKEN, [1]), (CKA_ID, id),
            (CKA_LABEL, Self.label),
        ]
        let expected = try objects { application, session, _ in
            let templates = [
                try Attributes(
                    template: parameters + [
                        (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_PRIVATE, [1]), (CKA_SENSITIVE, [1]),
                        (CKA_EXTRACTABLE, [0]), (CKA_VALUE, scalar),
                    ]),
                try Attributes(
                    template: parameters + [
                        (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_PRIVATE, [0]), (CKA_VALUE, info.key.bytes),
                    ]),
                try Attributes(template: [
                    (CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_TOKEN, [1]), (CKA_ID, id), (CKA_LABEL, Self.label),
                    (CKA_VALUE, try #require(pfx.certificate(of: key)).der),
                ]),
            ]
            try application.library.withSession(session) { session throws(CKError) in
                for template in templates { _ = try session.createObject(template) }
            }
        }
        #expect(made.map(record) == expected.map(record))
    }

    @Test("Attributes and types are called by PKCS #11's numbers")
    func numbers() {
        let attributes: [(RecordedAttribute, CK_ATTRIBUTE_TYPE)] = [
            (.objectClass, CKA_CLASS), (.isPrivate, CKA_PRIVATE), (.label, CKA_LABEL), (.uniqueID, CKA_UNIQUE_ID),
            (.value, CKA_VALUE), (.isTrusted, CKA_TRUSTED), (.keyType, CKA_KEY_TYPE), (.subject, CKA_SUBJECT),
            (.id, CKA_ID), (.encrypts, CKA_ENCRYPT), (.decrypts, CKA_DECRYPT), (.wraps, CKA_WRAP), (.signs, CKA_SIGN),
            (.verifies, CKA_VERIFY), (.recovers, CKA_VERIFY_RECOVER), (.derives, CKA_DERIVE),
            (.startDate, CKA_START_DATE), (.endDate, CKA_END_DATE), (.modulus, CKA_MODULUS),
            (.modulusBits, CKA_MODULUS_BITS), (.publicExponent, CKA_PUBLIC_EXPONENT),
            (.publicKeyInfo, CKA_PUBLIC_KEY_INFO), (.isLocal, CKA_LOCAL), (.generation, CKA_KEY_GEN_MECHANISM),
            (.isModifiable, CKA_MODIFIABLE), (.isCopyable, CKA_COPYABLE), (.isDestroyable, CKA_DESTROYABLE),
            (.ecParameters, CKA_EC_PARAMS), (.ecPoint, CKA_EC_POINT), (.alwaysAuthenticates, CKA_ALWAYS_AUTHENTICATE),
            (.gostR3410Parameters, CKA_GOSTR3410_PARAMS), (.gostR3411Parameters, CKA_GOSTR3411_PARAMS),
            (.gost28147Parameters, CKA_GOST28147_PARAMS), (.wrapTemplate, CKA_WRAP_TEMPLATE),
            (.allowedMechanisms, CKA_ALLOWED_MECHANISMS), (.signsJournal, CKA_VENDOR_KEY_JOURNAL),
        ]
        #expect(attributes.count == RecordedAttribute.allCases.count)
        for (attribute, number) in attributes { #expect(CK_ATTRIBUTE_TYPE(attribute.rawValue) == number) }
        let types: [(KeyTypeName, CK_KEY_TYPE)] = [
            (.rsa, CKK_RSA), (.ec, CKK_EC), (.gost256, CKK_GOSTR3410), (.gost512, CKK_GOSTR3410_512),
        ]
        for (type, number) in types { #expect(CK_KEY_TYPE(type.rawValue) == number) }
        let secrets: [(SecretKeyName, CK_KEY_TYPE)] = [
            (.gost28147, CKK_GOST28147), (.magma, CKK_MAGMA), (.kuznyechik, CKK_KUZNECHIK),
            (.magmaTwin, CKK_MAGMA_TWIN_KEY), (.kuznyechikTwin, CKK_KUZNECHIK_TWIN_KEY), (.aes, CKK_AES),
            (.generic, CKK_GENERIC_SECRET), (.hmac, CKK_SHA_1_HMAC), (.hmac, CKK_SHA224_HMAC),
            (.hmac, CKK_SHA256_HMAC), (.hmac, CKK_SHA384_HMAC), (.hmac, CKK_SHA512_HMAC),
        ]
        for (type, number) in secrets {
            var object = TokenObject(.secretKey(valueFile: 0))
            object[.keyType] = number.bytes
            #expect(object.secretKeyType == type)
        }
    }

    @Test("A key that its maker lets be used by one mechanism is used by that one alone")
    func allowedMechanisms() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let template = try Attributes(
            template: Self.common + [(CKA_ALLOWED_MECHANISMS, CKM_GOSTR3410_WITH_GOSTR3411_12_256.bytes)])
        _ = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: CKM_GOSTR3410_KEY_PAIR_GEN, parameter: []),
                publicTemplate: Attributes(template: Self.common),
                privateTemplate: template)
        }
        let tokens = try application.library.tokens.openSession(with: 0)
        defer { tokens.close() }
        let pair = try #require(tokens.objects().keyPairs.first)
        let digest = [UInt8](repeating: 1, count: 32)
        let allowed = SignatureMethod(hash: .streebog256, mechanism: UInt64(CKM_GOSTR3410_WITH_GOSTR3411_12_256))
        let signature = try tokens.sign(digest: digest, by: allowed, with: pair.privateKey)
        let info = try tokens.verificationKey(try #require(pair.publicKey), mechanism: allowed.mechanism)
        #expect(try info.accepts(signature, of: digest, nil))
        let other = SignatureMethod(hash: .streebog256, mechanism: UInt64(CKM_GOSTR3410))
        #expect { try tokens.sign(digest: digest, by: other, with: pair.privateKey) } throws: { error in
            if case .refused(.mechanism, _)? = error as? TokensError { true } else { false }
        }
    }
}
