// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Agreement with keys of a token", .serialized)
struct TokenAgreementTests {
    private typealias Scene = (reader: EmulatedReader, application: Application, session: CK_SESSION_HANDLE)

    private static func pair(
        _ scene: Scene, _ mechanism: CK_MECHANISM_TYPE, onToken: Bool
    ) throws -> (point: [UInt8], privateKey: CK_OBJECT_HANDLE) {
        let template = try Attributes(template: [(CKA_DERIVE, [1]), (CKA_TOKEN, [onToken ? 1 : 0]), (CKA_ID, [1])])
        let keys = try scene.application.library.withSession(scene.session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: mechanism, parameter: []), publicTemplate: template, privateTemplate: template)
        }
        return (try scene.application.attributes(scene.session, of: keys.0)[CKA_VALUE] ?? [], keys.1)
    }

    private static func derive(
        _ scene: Scene, _ mechanism: CK_MECHANISM_TYPE, _ key: CK_OBJECT_HANDLE, with point: [UInt8], _ count: Int,
        ukm: [UInt8] = [UInt8](1...24)
    ) throws -> [UInt8] {
        let parameters = AgreementParameters(derivation: CK_ULONG(CKD_NULL), publicData: point, ukm: ukm)
        let mechanism = Mechanism(type: mechanism, parameter: [], structure: .agreement(parameters))
        let template = try Attributes(template: [
            (CKA_KEY_TYPE, CKK_GENERIC_SECRET.bytes), (CKA_VALUE_LEN, CK_ULONG(count).bytes),
        ])
        let secret = try scene.application.library.withSession(scene.session) { session throws(CKError) in
            try session.deriveKey(mechanism, from: key, template: template)
        }
        return try scene.application.attributes(scene.session, of: secret)[CKA_VALUE] ?? []
    }

    @Test("a key on the token agrees on the same secrets as one of the session", arguments: ["usb", "bt"])
    func bothSides(_ identity: String) throws {
        let scene: Scene = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let (short, long) = (CKM_GOSTR3410_KEY_PAIR_GEN, CKM_GOSTR3410_512_KEY_PAIR_GEN)
        let agreements = [
            (short, CKM_GOSTR3410_DERIVE, 32), (short, CKM_GOSTR3410_12_DERIVE, 32), (short, CKM_GOST_KEG, 64),
            (long, CKM_GOSTR3410_12_DERIVE, 32), (long, CKM_VKO_GOSTR3410_2012_512, 64), (long, CKM_GOST_KEG, 64),
        ]
        for (generation, agreement, count) in agreements {
            let own = try Self.pair(scene, generation, onToken: true)
            let other = try Self.pair(scene, generation, onToken: false)
            let secret = try Self.derive(scene, agreement, own.privateKey, with: other.point, count)
            #expect(secret.count == count)
            #expect(try Self.derive(scene, agreement, other.privateKey, with: own.point, count) == secret)
        }
    }

    @Test(
        "a key of ECDH on the token agrees on what libcrypto agrees on", arguments: ["usb", "bt"],
        [ECCurve.p256, .secp256k1])
    func ecdh(_ identity: String, _ curve: ECCurve) throws {
        let scene: Scene = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let own = try Self.pair(scene, curve)
        let other = try ECPrivateKey.generate(on: curve, random: Seeded("ecdh"))
        let expected = try other.sharedSecret(with: ECPublicKey(curve: curve, bareOrDER: own.point))
        let point = other.publicKey.octetString
        let secret = try Self.derive(scene, CKM_ECDH1_DERIVE, own.privateKey, with: point, 32, ukm: [])
        #expect(secret == [UInt8](copying: expected))
        #expect(throws: CKError.mechanismParameterInvalid) {
            try Self.derive(
                scene, CKM_ECDH1_DERIVE, own.privateKey, with: [4] + [UInt8](repeating: 1, count: 64), 32, ukm: [])
        }
        // Whether a key agrees is settled when it is made.
        try scene.application.library.closeAllSessions(with: 0)
        let session = try scene.application.open()
        try scene.application.logIn(session)
        let later = Scene(scene.reader, scene.application, session)
        let found = try #require(try scene.application.find(session, [(CKA_DERIVE, [1])]).first)
        #expect(try Self.derive(later, CKM_ECDH1_DERIVE, found, with: point, 32, ukm: []) == secret)
        let signer = try Self.pair(later, curve, canDerive: 0)
        #expect(throws: CKError.keyFunctionNotPermitted) {
            try Self.derive(later, CKM_ECDH1_DERIVE, signer.privateKey, with: point, 32, ukm: [])
        }
        #expect(throws: CKError.attributeReadOnly) {
            try scene.application.set(session, signer.privateKey, [(CKA_DERIVE, [1])])
        }
    }

    private static func pair(
        _ scene: Scene, _ curve: ECCurve, canDerive: UInt8 = 1
    ) throws -> (point: [UInt8], privateKey: CK_OBJECT_HANDLE) {
        let publicKey = try Attributes(template: [(CKA_TOKEN, [1]), (CKA_EC_PARAMS, curve.oid)])
        let privateKey = try Attributes(template: [(CKA_TOKEN, [1]), (CKA_DERIVE, [canDerive])])
        let keys = try scene.application.library.withSession(scene.session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: CKM_EC_KEY_PAIR_GEN, parameter: []), publicTemplate: publicKey,
                privateTemplate: privateKey)
        }
        return (try scene.application.attributes(scene.session, of: keys.0)[CKA_EC_POINT] ?? [], keys.1)
    }

    @Test("what is not a point of the curve, or no UKM, is refused before the token is asked")
    func parameters() throws {
        let scene: Scene = try TokenKeyTests.start(.usb)
        let own = try Self.pair(scene, CKM_GOSTR3410_KEY_PAIR_GEN, onToken: true)
        let before = scene.reader.count(of: 0x86)
        for point in [[], [UInt8](repeating: 1, count: 64), own.point + [0]] {
            #expect(throws: CKError.mechanismParameterInvalid) {
                try Self.derive(scene, CKM_GOSTR3410_12_DERIVE, own.privateKey, with: point, 32)
            }
        }
        #expect(throws: CKError.mechanismParameterInvalid) {
            try Self.derive(
                scene, CKM_GOSTR3410_12_DERIVE, own.privateKey, with: own.point, 32, ukm: [UInt8](1...33))
        }
        #expect(scene.reader.count(of: 0x86) == before)
    }

    @Test("a token that does not say that it is an emulated one is not sent a command that nobody published")
    func realToken() throws {
        let scene: Scene = try TokenKeyTests.start(.usb)
        let own = try Self.pair(scene, CKM_GOSTR3410_KEY_PAIR_GEN, onToken: true)
        scene.reader.onResponse { _, instruction, response throws(LinkError) in
            instruction == 0xCA && response.data == Array("RTEMU".utf8) ? Response(.referencedDataNotFound) : response
        }
        let before = scene.reader.count(of: 0x86)
        #expect(throws: CKError.mechanismInvalid) {
            try Self.derive(scene, CKM_GOSTR3410_12_DERIVE, own.privateKey, with: own.point, 32)
        }
        #expect(scene.reader.count(of: 0x86) == before && scene.reader.count(of: 0x22) == 0)
    }
}
