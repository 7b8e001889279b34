// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Testing

@Suite("C_SessionCancel")
struct CancelTests {
    private static let digest = Mechanism(type: CKM_GOSTR3411_12_256, parameter: [])

    @Test("ends the operations that its flags name, and no other; what is not active may be named too")
    func cancel() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let keys = try application.makeKeys(session)
        let sign = Mechanism(type: CKM_GOSTR3410_WITH_GOSTR3411_12_256, parameter: [])
        try application.library.withSession(session) { session throws(CKError) in
            func begin() throws(CKError) {
                try session.digestInit(Self.digest)
                try session.signInit(sign, key: keys.privateKey)
                try session.verifyInit(sign, key: keys.publicKey)
                try session.findObjectsInit(Attributes())
            }
            try begin()
            session.cancel(0)
            #expect(throws: CKError.operationActive) { try session.digestInit(Self.digest) }
            session.cancel(CKF_DIGEST | CKF_ENCRYPT)
            try session.digestInit(Self.digest)
            #expect(throws: CKError.operationActive) { try session.signInit(sign, key: keys.privateKey) }
            session.cancel(~0)
            try begin()
        }
    }
}
