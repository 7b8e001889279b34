// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Testing
import Token

@Suite("Key pairs that searches pass over")
struct HiddenKeyTests {
    @Test("hide_gost_keys hides the key pairs of GOST, and nothing else", arguments: [false, true])
    func hidden(hides: Bool) throws {
        let (_, application, session) = try TokenKeyTests.start(.usb) { $0.policy.hidesGOSTKeys = hides }
        _ = try application.makeKeys(session)
        _ = try application.makeKeys(session, CKM_GOSTR3410_512_KEY_PAIR_GEN)
        let template = try Attributes(template: [(CKA_TOKEN, [1]), (CKA_MODULUS_BITS, CK_ULONG(1024).bytes)])
        _ = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: CKM_RSA_PKCS_KEY_PAIR_GEN, parameter: []), publicTemplate: template,
                privateTemplate: try Attributes(template: [(CKA_TOKEN, [1])]))
        }
        let types = try application.find(session).map {
            try application.attributes(session, of: $0).number(CKA_KEY_TYPE)
        }
        #expect(types.filter { $0 == CKK_RSA }.count == 2)
        #expect(types.filter { $0 != CKK_RSA }.count == (hides ? 0 : 4))
        #expect(try application.find(session, [(CKA_KEY_TYPE, CKK_GOSTR3410.bytes)]).count == (hides ? 0 : 2))
    }
}
