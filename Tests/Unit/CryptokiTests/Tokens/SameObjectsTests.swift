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
        let allowed = SignatureMethod(hash: .streebog256, mechanism: CKM_GOSTR3410_WITH_GOSTR3411_12_256)
        let signature = try tokens.sign(digest: digest, by: allowed, with: pair.privateKey)
        let info = try tokens.verificationKey(try #require(pair.publicKey), mechanism: allowed.mechanism)
        #expect(try info.accepts(signature, of: digest, nil))
        let other = SignatureMethod(hash: .streebog256, mechanism: CKM_GOSTR3410)
        #expect { try tokens.sign(digest: digest, by: other, with: pair.privateKey) } throws: { error in
            if case .refused(.mechanism, _)? = error as? TokensError { true } else { false }
        }
    }
}
