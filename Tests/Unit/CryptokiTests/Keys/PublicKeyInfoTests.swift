// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import HostCrypto
import TestSupport
import Testing

@Suite("CKA_PUBLIC_KEY_INFO of keys", .usesGOSTEngine, .serialized)
struct PublicKeyInfoTests {
    typealias Template = ObjectTests.Template

    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let generation: CK_MECHANISM_TYPE
        /// Attributes of the public template.
        let parameters: Template
        let signing: CK_MECHANISM_TYPE
        /// The program's option for the hash function.
        let digest: String

        static func gost(_ name: String, _ curve: Curve, _ algorithm: PublicKeyAlgorithm, _ digest: String) -> Kind {
            let mechanism: CK_MECHANISM_TYPE =
                switch algorithm {
                case .gostR34102001: CKM_GOSTR3410_WITH_GOSTR3411
                case .gostR34102012256: CKM_GOSTR3410_WITH_GOSTR3411_12_256
                case .gostR34102012512: CKM_GOSTR3410_WITH_GOSTR3411_12_512
                }
            let isLong = algorithm == .gostR34102012512
            return Kind(
                testDescription: name,
                generation: isLong ? CKM_GOSTR3410_512_KEY_PAIR_GEN : CKM_GOSTR3410_KEY_PAIR_GEN,
                parameters: [
                    (CKA_GOSTR3410_PARAMS, curve.oid), (CKA_GOSTR3411_PARAMS, algorithm.digestParameterSet),
                ],
                signing: mechanism, digest: digest)
        }
    }

    static let kinds: [Kind] = [
        .gost("GOST R 34.10-2001", .cryptoProA, .gostR34102001, "md_gost94"),
        .gost("256 bits", .cryptoProA, .gostR34102012256, "md_gost12_256"),
        .gost("256 bits, TC26", .tc26256A, .gostR34102012256, "md_gost12_256"),
        .gost("512 bits", .tc26512A, .gostR34102012512, "md_gost12_512"),
        .gost("512 bits, C", .tc26512C, .gostR34102012512, "md_gost12_512"),
        Kind(
            testDescription: "RSA", generation: CKM_RSA_PKCS_KEY_PAIR_GEN,
            parameters: [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes)], signing: CKM_SHA256_RSA_PKCS, digest: "sha256"),
        Kind(
            testDescription: "EC", generation: CKM_EC_KEY_PAIR_GEN, parameters: [(CKA_EC_PARAMS, ECCurve.p256.oid)],
            signing: CKM_ECDSA_SHA256, digest: "sha256"),
    ]

    /// Makes a key pair; the templates of both halves contain `common`.
    private static func generate(
        _ application: Application, _ session: CK_SESSION_HANDLE, _ kind: Kind, _ common: Template
    ) throws -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
        let templates = (
            try Attributes(template: kind.parameters + common), try Attributes(template: common)
        )
        let keys = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: kind.generation, parameter: []), publicTemplate: templates.0,
                privateTemplate: templates.1)
        }
        return (keys.0, keys.1)
    }

    /// The one attribute, as C_GetAttributeValue asks for it.
    private static func info(
        _ application: Application, _ session: CK_SESSION_HANDLE, _ key: CK_OBJECT_HANDLE
    ) throws -> [UInt8]? {
        try application.library.withSession(session) { session throws(CKError) in
            try session.attributes(of: key, types: [CKA_PUBLIC_KEY_INFO])[CKA_PUBLIC_KEY_INFO]
        }
    }

    @Test(
        "both halves have the key as the program writes it, on the token and in a session",
        arguments: kinds, [true, false])
    func halves(_ kind: Kind, onToken: Bool) throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let openssl = try OpenSSL()
        let common: Template = [(CKA_TOKEN, [onToken ? 1 : 0]), (CKA_ID, [1])]
        let keys = try Self.generate(application, session, kind, common)
        _ = try Self.generate(application, session, kind, common)
        let info = try #require(try Self.info(application, session, keys.publicKey))
        #expect(try Self.info(application, session, keys.privateKey) == info)
        #expect(try application.find(session, [(CKA_PUBLIC_KEY_INFO, info)]) == [keys.publicKey, keys.privateKey])

        try openssl.write(info, "key")
        try openssl.run("pkey -pubin -inform DER -in key -outform DER -out again")
        #expect(try openssl.read("again") == info)
        let message = [UInt8]("message".utf8)
        let signature = try application.sign(session, keys.privateKey, message, kind.signing)
        try openssl.write(message, "message")
        let isEC = kind.generation == CKM_EC_KEY_PAIR_GEN
        try openssl.write(isEC ? SignatureAlgorithm.numbers(signature) : signature, "signature")
        try openssl.run("dgst -\(kind.digest) -verify key -keyform DER -signature signature message")
        guard onToken else { return }

        // Another login reads the token again.
        try application.library.closeAllSessions(with: 0)
        let later = try application.open()
        let publicKey = try application.find(later, [(CKA_PUBLIC_KEY_INFO, info)])
        #expect(publicKey.count == 1)
        try application.logIn(later)
        #expect(try application.find(later, [(CKA_PUBLIC_KEY_INFO, info)]).count == 2)
        // A private key without its pair: an RSA key still has the numbers.
        try application.destroy(later, try #require(publicKey.first))
        let left = try application.find(later, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)])
        let infos = try left.map { try Self.info(application, later, $0) }
        #expect(infos.contains(info) == (kind.generation == CKM_RSA_PKCS_KEY_PAIR_GEN))
        #expect(infos.contains([]) == (kind.generation != CKM_RSA_PKCS_KEY_PAIR_GEN))
    }

    @Test("a private key without its pair has the key of the certificate with its identifier and its parameters")
    func certificates() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let openssl = try OpenSSL()
        for (number, newKey) in [
            "gost2012_256 -pkeyopt paramset:A", "gost2012_256 -pkeyopt paramset:B",
            OpenSSL.p256,
        ].enumerated() {
            try openssl.run("req -x509 -newkey \(newKey) -nodes -keyout key -outform DER -out \(number) -subj /CN=x")
            try openssl.run("pkey -in key -pubout -outform DER -out \(number).key")
        }
        func store(_ number: Int) throws -> CK_OBJECT_HANDLE {
            try application.create(
                session,
                [
                    (CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_TOKEN, [1]), (CKA_ID, [1]),
                    (CKA_VALUE, openssl.read("\(number)")),
                ])
        }
        let keys = try [Self.kinds[1], Self.kinds[6]].map { kind in
            let keys = try Self.generate(application, session, kind, [(CKA_TOKEN, [1]), (CKA_ID, [1])])
            try application.destroy(session, keys.publicKey)
            return keys.privateKey
        }
        #expect(try keys.map { try Self.info(application, session, $0) } == [[], []])
        // The first is of another curve, though the key's numbers are as long.
        _ = try store(1)
        #expect(try keys.map { try Self.info(application, session, $0) } == [[], []])
        _ = try store(0)
        #expect(try keys.map { try Self.info(application, session, $0) } == [openssl.read("0.key"), []])
        let certificate = try store(2)
        let both = [try openssl.read("0.key"), try openssl.read("2.key")]
        #expect(try keys.map { try Self.info(application, session, $0) } == both)
        try application.destroy(session, certificate)
        #expect(try keys.map { try Self.info(application, session, $0) } == [both[0], []])
    }

    @Test("a private key from outside has what its template says, and not the key of a pair with its identifier")
    func imported() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let kind = Self.kinds[1]
        let pair = try Self.generate(application, session, kind, [(CKA_TOKEN, [1]), (CKA_ID, [1])])
        let others = try #require(try Self.info(application, session, pair.publicKey))
        let key: Template =
            kind.parameters + [
                (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CKK_GOSTR3410.bytes), (CKA_ID, [1]),
                (CKA_VALUE, [7] + [UInt8](repeating: 1, count: 31)),
            ]
        let inSession = try application.create(session, key)
        let info = try #require(try Self.info(application, session, inSession))
        #expect(!info.isEmpty && info != others)
        let silent = try application.create(session, key + [(CKA_TOKEN, [1])])
        #expect(try Self.info(application, session, silent) == [])
        let told = try application.create(session, key + [(CKA_TOKEN, [1]), (CKA_PUBLIC_KEY_INFO, info)])
        #expect(try Self.info(application, session, told) == info)

        // A public key of the token that has no pair of its own goes with the private one.
        let numbers = try PublicKeyInfo(der: info.span)
        guard case .gost(let numbers) = numbers else { return }
        let publicKey = try application.create(
            session,
            kind.parameters + [
                (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_KEY_TYPE, CKK_GOSTR3410.bytes), (CKA_ID, [1]),
                (CKA_TOKEN, [1]), (CKA_VALUE, numbers.key.bytes), (CKA_PUBLIC_KEY_INFO, info),
            ])
        #expect(try Self.info(application, session, publicKey) == info)
        #expect(try Self.info(application, session, silent) == info)
        #expect(try Self.info(application, session, pair.privateKey) == others)
    }

    @Test("a template cannot say another key's, and not that of a pair that is to be made")
    func refusals() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        for kind in [Self.kinds[1], Self.kinds[6]] {
            let keys = try Self.generate(application, session, kind, [])
            let info = try #require(try Self.info(application, session, keys.publicKey))
            #expect(throws: CKError.attributeReadOnly) {
                try Self.generate(application, session, kind, [(CKA_PUBLIC_KEY_INFO, info)])
            }
            #expect(throws: CKError.attributeReadOnly) {
                try application.set(session, keys.publicKey, [(CKA_PUBLIC_KEY_INFO, info)])
            }
            for wrong in [Array(info.dropLast()), [1]] {
                #expect(throws: CKError.templateInconsistent) {
                    try application.create(session, StoredObjectTests.ecKey + [(CKA_PUBLIC_KEY_INFO, wrong)])
                }
            }
            #expect(throws: CKError.templateInconsistent) {
                try application.create(session, StoredObjectTests.ecKey + [(CKA_PUBLIC_KEY_INFO, info)])
            }
        }
        let own = try application.create(session, StoredObjectTests.ecKey)
        let info = try #require(try Self.info(application, session, own))
        _ = try application.create(session, StoredObjectTests.ecKey + [(CKA_PUBLIC_KEY_INFO, info)])
    }

    @Test("no command goes to the token for it", arguments: ["usb", "bt"])
    func commands(_ identity: String) throws {
        let (reader, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let keys = try Self.generate(application, session, Self.kinds[1], [(CKA_TOKEN, [1])])
        _ = try application.find(session)
        let before = reader.commands
        _ = try application.find(session)
        let cost = reader.commands - before
        #expect(try Self.info(application, session, keys.privateKey)?.isEmpty == false)
        #expect(reader.commands == before + cost)
        _ = try application.find(session, [(CKA_PUBLIC_KEY_INFO, [1])])
        #expect(reader.commands == before + 2 * cost)
    }
}

extension SignatureAlgorithm {
    /// An ECDSA-Sig-Value (RFC 3279, 2.2.3) of r ‖ s with 256 bits each.
    fileprivate static func numbers(_ signature: [UInt8]) -> [UInt8] {
        let halves: [[UInt8]] = [signature.prefix(32), signature.suffix(32)].map { half in
            let digits = Array(half.drop { $0 == 0 })
            return DERTag.integer.element((digits.first ?? 0 >= 0x80 ? [0] : []) + digits)
        }
        return DERTag.sequence.element(halves[0] + halves[1])
    }
}
