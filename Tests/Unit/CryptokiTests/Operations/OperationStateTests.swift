// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Testing

@Suite("States of operations", .serialized)
struct OperationStateTests {
    private static let mechanisms: [CK_MECHANISM_TYPE] = [
        CKM_MD5, CKM_SHA_1, CKM_SHA224, CKM_SHA256, CKM_SHA384, CKM_SHA512, CKM_GOSTR3411, CKM_GOSTR3411_12_256,
        CKM_GOSTR3411_12_512,
    ]

    @Test(
        "a digest goes on from a state that was saved, as often as wanted and in another session", arguments: mechanisms
    )
    func digests(_ mechanism: CK_MECHANISM_TYPE) throws {
        let scene = try SecretKeyScene()
        let (first, second) = ([UInt8](repeating: 1, count: 100), Array("the rest".utf8))
        let state = try scene.inSession { session throws(CKError) in
            #expect(throws: CKError.operationNotInitialised) { try session.stateSize() }
            try session.digestInit(Mechanism(mechanism))
            try session.digestUpdate(first.span)
            let state = try session.saveState()
            #expect(try session.stateSize() == state.count)
            try session.digestUpdate(first.span)
            _ = try session.digestFinal()
            return state
        }
        let expected = try scene.digest(mechanism, first + second)
        let other = try scene.application.open()
        for session in [scene.session, other, other] {
            let digest = try scene.application.library.withSession(session) { session throws(CKError) in
                try session.restoreState(state, hasKeys: false)
                try session.digestUpdate(second.span)
                return try session.digestFinal()
            }
            #expect(digest == expected)
        }
    }

    @Test("a saved digest ends with the last session of its slot, however that ends", arguments: [true, false])
    func lastSession(_ all: Bool) throws {
        let scene = try SecretKeyScene()
        let state = try scene.inSession { session throws(CKError) in
            try session.digestInit(Mechanism(CKM_SHA256))
            return try session.saveState()
        }
        let library = scene.application.library
        let other = try scene.application.open()
        try library.closeSession(scene.session)
        try library.withSession(other) { session throws(CKError) in try session.restoreState(state, hasKeys: false) }
        if all { try library.closeAllSessions(with: 0) } else { try library.closeSession(other) }
        let next = try scene.application.open()
        #expect(throws: CKError(CKR_SAVED_STATE_INVALID)) {
            try library.withSession(next) { session throws(CKError) in
                try session.restoreState(state, hasKeys: false)
            }
        }
    }

    @Test("what is no state, or not a digest's, is refused")
    func refusals() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_MAGMA_KEY_GEN)
        try scene.inSession { session throws(CKError) in
            #expect(throws: CKError(CKR_SAVED_STATE_INVALID)) { try session.restoreState([], hasKeys: false) }
            try session.digestInit(Mechanism(CKM_SHA256))
            let state = try session.saveState()
            #expect(throws: CKError(CKR_KEY_NOT_NEEDED)) { try session.restoreState(state, hasKeys: true) }
            try session.signInit(Mechanism(CKM_MAGMA_MAC), key: key)
            #expect(throws: CKError(CKR_STATE_UNSAVEABLE)) { try session.stateSize() }
            // Active operations end.
            try session.restoreState(state, hasKeys: false)
            #expect(session.activeOperations == CKF_DIGEST)
        }
    }

    @Test("a search is no operation with a state: it hinders none that is saved, and stays when one is restored")
    func search() throws {
        let scene = try SecretKeyScene()
        try scene.inSession { session throws(CKError) in
            try session.findObjectsInit(Attributes())
            #expect(throws: CKError.operationNotInitialised) { try session.stateSize() }
            try session.digestInit(Mechanism(CKM_SHA256))
            let state = try session.saveState()
            #expect(try session.stateSize() == state.count)
            try session.restoreState(state, hasKeys: false)
            #expect(session.activeOperations == CKF_DIGEST | CKF_FIND_OBJECTS)
        }
    }

    @Test("the operations that are active are those that were begun and not ended")
    func active() throws {
        let scene = try SecretKeyScene()
        let key = try scene.generate(CKM_MAGMA_KEY_GEN)
        try scene.inSession { session throws(CKError) in
            #expect(session.activeOperations == 0)
            try session.signInit(Mechanism(CKM_MAGMA_MAC), key: key)
            try session.verifyInit(Mechanism(CKM_MAGMA_MAC), key: key)
            try session.encryptInit(Mechanism(CKM_MAGMA_ECB), key: key)
            try session.decryptInit(Mechanism(CKM_MAGMA_ECB), key: key)
            #expect(session.activeOperations == CKF_SIGN | CKF_VERIFY | CKF_ENCRYPT | CKF_DECRYPT)
            session.cancel(CKF_SIGN)
            #expect(session.activeOperations == CKF_VERIFY | CKF_ENCRYPT | CKF_DECRYPT)
            #expect(throws: CKError.operationNotInitialised) { try session.signatureSize() }
        }
    }
}
