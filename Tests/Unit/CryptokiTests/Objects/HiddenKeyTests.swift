// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import HostCrypto
import TestSupport
import Testing
import Token

@Suite("Keys and certificates that searches pass over")
struct HiddenKeyTests {
    private static let kinds: [(label: String, CK_MECHANISM_TYPE, parameters: ObjectTests.Template)] = [
        ("gost", CKM_GOSTR3410_KEY_PAIR_GEN, []), ("gost", CKM_GOSTR3410_512_KEY_PAIR_GEN, []),
        ("rsa", CKM_RSA_PKCS_KEY_PAIR_GEN, [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes)]),
        ("p256", CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, ECCurve.p256.oid)]),
        ("other", CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, ECCurve.secp256k1.oid)]),
    ]

    /// Generates a pair of each kind, and stores a certificate of each; all have the kind's name as their label.
    private static func fill(_ application: Application, _ session: CK_SESSION_HANDLE) throws {
        for (label, mechanism, parameters) in kinds {
            let common: ObjectTests.Template = [(CKA_TOKEN, [1]), (CKA_LABEL, Array(label.utf8)), (CKA_ID, [1])]
            let templates = (try Attributes(template: common + parameters), try Attributes(template: common))
            let key = try application.library.withSession(session) { session throws(CKError) in
                try session.generateKeyPair(
                    Mechanism(mechanism), publicTemplate: templates.0, privateTemplate: templates.1
                ).0
            }
            let info = try #require(try application.attributes(session, of: key)[CKA_PUBLIC_KEY_INFO])
            let value = DERTag.sequence.element(
                DERTag.sequence.element(
                    DERTag.integer.element([1]) + Array(repeating: [0x30, 0], count: 4).flatMap(\.self) + info))
            _ = try application.create(session, common + [(CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_VALUE, value)])
        }
        // Its key is unknown.
        _ = try application.create(
            session,
            [
                (CKA_TOKEN, [1]), (CKA_LABEL, Array("unread".utf8)), (CKA_CLASS, CKO_CERTIFICATE.bytes),
                (CKA_VALUE, [0x30, 0]),
            ])
    }

    @Test(
        "A family hides its key pairs and their certificates, and nothing else, in a new process, too",
        arguments: [[], .gost, .otherCurves, [.gost, .otherCurves]] as [KeyFamilies], [Identity.usb, .bt].map(\.name))
    func hidden(_ families: KeyFamilies, on identity: String) throws {
        let (passwords, store) = (identity == "bt" ? [Application.password] : [], Folder())
        let reader = try EmulatedReader(identity == "bt" ? .bt : .usb, passwords: passwords)
        let application = Application(reader, store: store) { $0.policy.hiddenKeys = families }
        if !passwords.isEmpty { try application.activate() }
        let session = try application.open()
        try application.logIn(session)
        try Self.fill(application, session)
        var expected = ["p256", "p256", "p256", "rsa", "rsa", "rsa", "unread"]
        if !families.contains(.gost) { expected += Array(repeating: "gost", count: 6) }
        if !families.contains(.otherCurves) { expected += Array(repeating: "other", count: 3) }
        let next = Application(reader, store: store) { $0.policy.hiddenKeys = families }
        let other = try next.open()
        try next.logIn(other)
        for (application, session) in [(application, session), (next, other)] {
            let labels = try application.find(session).map {
                String(decoding: try #require(try application.attributes(session, of: $0)[CKA_LABEL]), as: UTF8.self)
            }
            #expect(labels.sorted() == expected.sorted())
            let certificates = try application.find(session, [(CKA_CLASS, CKO_CERTIFICATE.bytes)])
            #expect(certificates.count == (expected.count - 1) / 3 + 1)
        }
    }
}
