// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Containers
import Cryptoki
import EmulatedTokens
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Keys of containers", .serialized)
struct ContainerKeyTests {
    @Test(
        "each key of a container signs, and its certificate and public key have its identifier",
        arguments: ContainerScene.vectors.keys.sorted())
    func signatures(_ name: String) throws {
        let vector = try #require(ContainerScene.vectors[name])
        let scene = try ContainerScene([name])
        let keys = vector.keys.list
        #expect(try scene.find(CKO_PRIVATE_KEY).count == keys.count)
        for key in keys {
            let point = key.Q.bytes
            let id = Array(point.prefix(8))
            let handle = try #require(try scene.find(CKO_PRIVATE_KEY, id: id).first)
            let size = point.count / 2
            let digest = [UInt8](repeating: 7, count: size)
            let signature = try scene.sign(handle, digest, password: vector.password.text ?? "")
            let curve = try #require(Curve(oid: scene.attributes(handle)[CKA_GOSTR3410_PARAMS] ?? []))
            #expect(try PublicKey(curve: curve, bytes: point).isValidSignature(signature, digest: digest))
            let certificates = try scene.find(CKO_CERTIFICATE, id: id)
            let publicKeys = try scene.find(CKO_PUBLIC_KEY, id: id)
            let isCertified = !key.certificate.bytes.isEmpty
            #expect(certificates.count == (isCertified ? 1 : 0) && publicKeys.count == certificates.count)
            if let handle = certificates.first {
                #expect(try scene.attributes(handle)[CKA_VALUE] == key.certificate.bytes)
            }
            if let handle = publicKeys.first { #expect(try scene.attributes(handle)[CKA_VALUE] == point) }
        }
    }

    @Test("a signature costs six commands the first time, and five from then on")
    func cost() throws {
        let scene = try ContainerScene([ContainerScene.plain])
        let key = try #require(try scene.find(CKO_PRIVATE_KEY).first)
        let digest = [UInt8](repeating: 7, count: 32)
        for expected in [5, 5, 5, 5] {
            #expect(try scene.cost { _ = try scene.sign(key, digest) } == expected)
        }
        try scene.reader.select([0x1000])
        #expect(try scene.cost { _ = try scene.sign(key, digest) } <= 7)
        #expect(try scene.cost { _ = try scene.sign(key, digest) } == 5)
    }
}
