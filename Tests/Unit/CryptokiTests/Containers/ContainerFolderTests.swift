// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Containers
import Cryptoki
import GOST
import TestSupport
import Testing
import Token
import Tokens

@Suite("Containers in folders as slots", .serialized)
struct ContainerFolderTests {
    @Test(
        "each key of a container signs; without a password no login is needed, with one it is User's PIN",
        arguments: ContainerScene.vectors.keys.sorted())
    func signatures(_ name: String) throws {
        let vector = try #require(ContainerScene.vectors[name])
        let scene = try ContainerFolderScene([name])
        #expect(try scene.slots() == [0])
        let info = try scene.application.library.token(in: 0, evicting: true).info
        #expect(info.serial == Array(vector.keys[0].Q.bytes.prefix(8)))
        #expect(info.label == Array((vector.name.text ?? "").utf8) && info.isFolder)
        let password = vector.password.text ?? ""
        #expect(info.needsLogin == !password.isEmpty)
        let session = try scene.open()
        if !password.isEmpty {
            #expect(try scene.find(CKO_PRIVATE_KEY, in: session).isEmpty)
            for wrong in 0..<12 {
                #expect(throws: CKError.pinIncorrect) { try scene.application.logIn(session, "no \(wrong)") }
            }
            try scene.application.logIn(session, password)
        }
        #expect(try scene.find(CKO_PRIVATE_KEY, in: session).count == vector.keys.list.count)
        for key in vector.keys.list {
            let point = key.Q.bytes
            let id = Array(point.prefix(8))
            let handle = try #require(try scene.find(CKO_PRIVATE_KEY, id: id, in: session).first)
            let attributes = try scene.application.attributes(session, of: handle)
            #expect(try attributes.bool(CKA_ALWAYS_AUTHENTICATE) == false && attributes[CKA_VALUE] == nil)
            #expect(try attributes.bool(CKA_EXTRACTABLE) == false)
            let curve = try #require(Curve(oid: attributes[CKA_GOSTR3410_PARAMS] ?? []))
            let digest = [UInt8](repeating: 7, count: point.count / 2)
            let signature = try scene.sign(handle, digest, in: session)
            #expect(try PublicKey(curve: curve, bytes: point).isValidSignature(signature, digest: digest))
            let publicKey = try #require(try scene.find(CKO_PUBLIC_KEY, id: id, in: session).first)
            #expect(try scene.application.attributes(session, of: publicKey)[CKA_VALUE] == point)
            let isCertified = !key.certificate.bytes.isEmpty
            #expect(try scene.find(CKO_CERTIFICATE, id: id, in: session).count == (isCertified ? 1 : 0))
        }
        guard !password.isEmpty else {
            #expect(throws: CKError.userAlreadyLoggedIn) { try scene.application.logIn(session, "a password") }
            return
        }
        try scene.application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(try scene.find(CKO_PRIVATE_KEY, in: session).isEmpty)
    }
}
