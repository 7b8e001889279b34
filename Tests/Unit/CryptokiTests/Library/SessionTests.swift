// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing

@Suite("Sessions")
struct SessionTests {
    @Test("R22: thousands of sessions are counted by their kind, and the library ends with all of them open")
    func counts() throws {
        let application = Application(try EmulatedReader(.usb), store: Folder())
        var handles: Set<CK_SESSION_HANDLE> = []
        for number in 0..<2000 {
            let flags = CKF_SERIAL_SESSION | (number % 4 == 0 ? CKF_RW_SESSION : 0)
            handles.insert(try application.library.openSession(with: 0, flags: flags))
        }
        #expect(handles.count == 2000)
        let token = try application.library.token(in: 0, evicting: false)
        #expect(token.sessionCount == 2000 && token.readWriteSessionCount == 500)
        try application.library.closeAllSessions(with: 0)
        #expect(try application.library.token(in: 0, evicting: false).sessionCount == 0)
        for handle in handles {
            #expect(throws: CKError.sessionHandleInvalid) { try application.library.closeSession(handle) }
        }
        let next = try application.open()
        #expect(!handles.contains(next))
        application.library.finalize()
        #expect(throws: CKError.notInitialised) { try application.open() }
    }

    @Test("the library ends without a word to a card that hangs", arguments: [Identity.usb, .bt])
    func hangingCard(_ identity: Identity) throws {
        let passwords = identity.channel == nil ? [] : [Application.password]
        let reader = try EmulatedReader(identity, passwords: passwords)
        let application = Application(reader, store: Folder())
        if identity.channel != nil { try application.activate() }
        try application.logIn(application.open())
        let before = reader.headers.count
        reader.hang()
        application.library.finalize()
        #expect(reader.headers.count == before && reader.abandoned == 1)
    }

    @Test("the SO's login and sessions for reading exclude each other")
    func kinds() throws {
        let application = Application(try EmulatedReader(.usb), store: Folder())
        let writing = try application.open()
        let reading = try application.library.openSession(with: 0, flags: CKF_SERIAL_SESSION)
        #expect(throws: CKError.sessionReadOnlyExists) { try application.logIn(writing, "87654321", as: CKU_SO) }
        #expect(throws: CKError.sessionReadOnlyExists) { try application.logIn(reading, "87654321", as: CKU_SO) }
        try application.library.closeSession(reading)
        try application.logIn(writing, "87654321", as: CKU_SO)
        #expect(throws: CKError.sessionReadWriteSOExists) {
            try application.library.openSession(with: 0, flags: CKF_SERIAL_SESSION)
        }
        try application.library.closeSession(writing)
        let next = try application.open()
        #expect(try application.library.sessionInfo(next).state == CKS_RW_PUBLIC_SESSION)
    }
}
