// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing
import Token

@Suite("Commands of unknown outcome (15.2)", .serialized, .inBothProfiles)
struct RecoveryTests {
    let reader: EmulatedReader
    let application: Application
    let session: CK_SESSION_HANDLE
    let key: CK_OBJECT_HANDLE

    init() throws {
        let time = TestTime()
        reader = try EmulatedReader(.underTest, passwords: [Application.password])
        application = Application(reader, store: Folder()) { $0.clocks = time.clocks }
        try application.activate()
        session = try application.open()
        try application.logIn(session)
        key = try application.makeKeys(session).privateKey
    }

    private func sign() throws { _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410) }

    /// Loses one answer, or spoils it.
    private func disturb(_ command: Int, spoiling: Bool) {
        reader.onResponse { number, _, response throws(LinkError) in
            guard number == command else { return response }
            guard spoiling else { throw .transmission(code: 1) }
            return Response(response.status, data: response.data.dropLast() + [response.data.last.map { ~$0 } ?? 0])
        }
    }

    @Test("a search goes on whatever answer is lost or spoilt, in one transaction", arguments: 1...4, [true, false])
    func search(_ command: Int, spoiling: Bool) throws {
        // Invalidate the cached objects, so that all are read again.
        _ = try application.makeKeys(session)
        disturb(command, spoiling: spoiling)
        let transactions = reader.transactions
        try application.library.withSession(session) { session throws(CKError) in
            try session.findObjectsInit(Attributes())
            try session.findObjectsFinal()
        }
        #expect(reader.transactions == transactions + 1)
        reader.onResponse(nil)
        #expect(try application.find(session).count == 4)
        try sign()
    }

    @Test("a signature whose answer is lost or spoilt is not made again", arguments: [true, false])
    func signature(_ spoiling: Bool) throws {
        try sign()
        let before = reader.headers.count
        disturb(1, spoiling: spoiling)
        #expect(throws: CKError.deviceError) { try sign() }
        #expect(reader.headers.count == before + 1)
        reader.onResponse(nil)
        try sign()
        #expect(try application.library.sessionInfo(session).state == CKS_RW_USER_FUNCTIONS)
    }

    @Test("a PIN whose presentation brought no answer is not presented again", arguments: [true, false])
    func login(_ spoiling: Bool) throws {
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        let before = reader.count(of: 0x20)
        disturb(1, spoiling: spoiling)
        #expect(throws: CKError.deviceError) { try application.logIn(session) }
        reader.onResponse(nil)
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        #expect(try application.find(session).count == 1)
        #expect(reader.count(of: 0x20) == before + 1)
        try application.logIn(session)
    }

    @Test("a call that finds its session lost opens another and presents the PIN in the same transaction")
    func reopening() throws {
        reader.card.reset()
        let transactions = reader.transactions
        #expect(throws: CKError.deviceError) { try sign() }
        try sign()
        #expect(reader.transactions == transactions + 2)
        // From then on a call asks first, and finds it out without harm.
        reader.card.reset()
        try sign()
        #expect(reader.transactions == transactions + 3)
    }
}
