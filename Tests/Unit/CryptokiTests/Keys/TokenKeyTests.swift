// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import Testing
import Token

@Suite("Keys and signatures, on both identities", .serialized)
struct TokenKeyTests {
    static let mechanisms: [(CK_MECHANISM_TYPE, raw: CK_MECHANISM_TYPE, hashing: CK_MECHANISM_TYPE, digest: Int)] = [
        (CKM_GOSTR3410_KEY_PAIR_GEN, CKM_GOSTR3410, CKM_GOSTR3410_WITH_GOSTR3411_12_256, 32),
        (CKM_GOSTR3410_KEY_PAIR_GEN, CKM_GOSTR3410, CKM_GOSTR3410_WITH_GOSTR3411, 32),
        (CKM_GOSTR3410_512_KEY_PAIR_GEN, CKM_GOSTR3410_512, CKM_GOSTR3410_WITH_GOSTR3411_12_512, 64),
    ]

    /// An application with a session in which User is logged in.
    static func start(
        _ identity: Identity, isUSB: Bool = false, configure: (inout TokenSettings) -> Void = { _ in }
    ) throws -> (EmulatedReader, Application, CK_SESSION_HANDLE) {
        let passwords = identity.name == Identity.bt.name ? [Application.password] : []
        let reader = try EmulatedReader(identity, passwords: passwords, isUSB: isUSB)
        let application = Application(reader, store: Folder(), configure: configure)
        if !passwords.isEmpty { try application.activate() }
        let session = try application.open()
        try application.logIn(session)
        return (reader, application, session)
    }

    @Test("what a key signs, its public key verifies, and nothing else", arguments: ["usb", "bt"], [true, false])
    func signatures(_ identity: String, onToken: Bool) throws {
        let (_, application, session) = try Self.start(identity == "bt" ? .bt : .usb)
        for mechanism in Self.mechanisms {
            let keys = try application.makeKeys(session, mechanism.0, onToken: onToken)
            let message = Array("message".utf8)
            let signature = try application.sign(session, keys.privateKey, message, mechanism.hashing)
            try application.verify(session, keys.publicKey, message, signature, mechanism.hashing)
            #expect(throws: CKError.signatureInvalid) {
                try application.verify(session, keys.publicKey, message + [0], signature, mechanism.hashing)
            }
            let digest = [UInt8](repeating: 7, count: mechanism.digest)
            let raw = try application.sign(session, keys.privateKey, digest, mechanism.raw)
            try application.verify(session, keys.publicKey, digest, raw, mechanism.raw)
            #expect(throws: CKError.dataLengthRange) {
                try application.sign(session, keys.privateKey, digest + [0], mechanism.raw)
            }
        }
    }

    @Test("R21: every parameter set that the token has works on it", arguments: Curve.all)
    func parameterSets(_ curve: Curve) throws {
        let (_, application, session) = try Self.start(.usb)
        let is512 = curve.coordinateSize == 64
        let generation = is512 ? CKM_GOSTR3410_512_KEY_PAIR_GEN : CKM_GOSTR3410_KEY_PAIR_GEN
        let signing = is512 ? CKM_GOSTR3410_512 : CKM_GOSTR3410
        if curve == .tc26512Test {
            #expect(throws: CKError.domainParametersInvalid) {
                try application.makeKeys(session, generation, parameters: curve.oid)
            }
            return
        }
        let keys = try application.makeKeys(session, generation, parameters: curve.oid)
        let digest = [UInt8](repeating: 1, count: curve.coordinateSize)
        let signature = try application.sign(session, keys.privateKey, digest, signing)
        try application.verify(session, keys.publicKey, digest, signature, signing)
        #expect(try application.attributes(session, of: keys.publicKey)[CKA_GOSTR3410_PARAMS] == curve.oid)
    }

    @Test(
        "R20: token objects outlive the session, public ones need no login, private ones are seen by User only",
        arguments: ["usb", "bt"])
    func persistence(_ identity: String) throws {
        let (_, application, session) = try Self.start(identity == "bt" ? .bt : .usb)
        _ = try application.makeKeys(session)
        try application.library.closeSession(session)

        let later = try application.open()
        #expect(try application.find(later).count == 1)
        try application.logIn(later, "87654321", as: CKU_SO)
        #expect(try application.find(later).count == 1)
        try application.library.withSession(later) { session throws(CKError) in try session.logOut() }
        try application.logIn(later)
        let found = try application.find(later)
        #expect(found.count == 2)
        #expect(try application.find(later, [(CKA_ID, [2])]).isEmpty)
        for object in found {
            try application.library.withSession(later) { session throws(CKError) in
                try session.destroyObject(object)
            }
        }
        #expect(try application.find(later).isEmpty)
    }

    @Test("a key needs a login, and a token key a session for writing")
    func rights() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        let session = try application.open()
        #expect(throws: CKError.userNotLoggedIn) { try application.makeKeys(session) }
        try application.logIn(session)
        let readOnly = try application.library.openSession(with: 0, flags: CKF_SERIAL_SESSION)
        #expect(throws: CKError.sessionReadOnly) { try application.makeKeys(readOnly) }
        _ = try application.makeKeys(readOnly, onToken: false)
    }

    @Test("the value of a private key is nowhere among its attributes")
    func sensitivity() throws {
        let (_, application, session) = try Self.start(.usb)
        for onToken in [true, false] {
            let keys = try application.makeKeys(session, onToken: onToken)
            let attributes = try application.attributes(session, of: keys.privateKey)
            #expect(attributes[CKA_VALUE] == nil)
            #expect(Session.isSensitive(CKA_VALUE, in: attributes))
            #expect(try attributes.bool(CKA_ALWAYS_AUTHENTICATE) == false)
        }
    }
}
