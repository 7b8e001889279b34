// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Secrets
import TestSupport
import Testing
import Token
import Tokens

@Suite("PINs, names, licences and drives: the vendor's extension", .serialized)
struct ManagementTests {
    static let identities = ["usb", "bt"]

    /// An application with a session without a login.
    private struct Scene {
        let application: Application
        let session: CK_SESSION_HANDLE

        init(_ identity: String, as user: CK_USER_TYPE? = nil) throws {
            let identity = try #require(Identity(name: identity))
            let passwords = identity.name == Identity.bt.name ? [Application.password] : []
            application = Application(try EmulatedReader(identity, passwords: passwords), store: Folder())
            if !passwords.isEmpty { try application.activate() }
            session = try application.open()
            if let user { try logIn(user) }
        }

        var library: Library { application.library }

        func logIn(_ user: CK_USER_TYPE, _ pin: String? = nil) throws {
            try application.logIn(session, pin ?? (user == CKU_SO ? "87654321" : Application.userPIN), as: user)
        }

        func logOut() throws { try run { session throws(CKError) in try session.logOut() } }

        func run<Result>(_ body: (Session) throws(CKError) -> Result) throws -> Result {
            try library.withSession(session) { session throws(CKError) in try body(session) }
        }

        var state: PINState {
            get throws { try library.token(in: 0, evicting: true).info.user }
        }
    }

    @Test("the SO alone gives User's PIN its tries back, and the PIN stays", arguments: identities)
    func unblocking(_ identity: String) throws {
        let scene = try Scene(identity)
        for _ in 0..<10 { #expect(throws: CKError.pinIncorrect) { try scene.logIn(CKU_USER, "11111111") } }
        #expect(throws: CKError.pinLocked) { try scene.logIn(CKU_USER) }
        #expect(throws: CKError.userNotLoggedIn) {
            try scene.run { session throws(CKError) in try session.unblockUserPIN() }
        }
        try scene.logIn(CKU_SO)
        try scene.run { session throws(CKError) in try session.unblockUserPIN() }
        #expect(try scene.state.triesLeft == 10)
        try scene.logOut()
        try scene.logIn(CKU_USER)
        #expect(throws: CKError.userNotLoggedIn) {
            try scene.run { session throws(CKError) in try session.unblockUserPIN() }
        }
    }

    @Test("User alone names the token, in up to 255 bytes, and takes the name away", arguments: identities)
    func names(_ identity: String) throws {
        let scene = try Scene(identity, as: CKU_USER)
        func name() throws -> [UInt8]? { try scene.run { session throws(CKError) in try session.tokenName() } }
        func set(_ name: [UInt8]) throws {
            try scene.run { session throws(CKError) in try session.setTokenName(name) }
        }
        for text in [Array("Токен".utf8), [UInt8](repeating: 0x41, count: 255), [0x42]] {
            try set(text)
            #expect(try name() == text)
            #expect(try scene.library.token(in: 0, evicting: true).info.label == text)
        }
        #expect(throws: CKError.argumentsBad) { try set([UInt8](repeating: 0x41, count: 256)) }
        try set([])
        #expect(try name() == nil)
        let reading = try scene.library.openSession(with: 0, flags: CKF_SERIAL_SESSION)
        #expect(throws: CKError.sessionReadOnly) {
            try scene.library.withSession(reading) { session throws(CKError) in try session.setTokenName([0x43]) }
        }
        try scene.library.closeSession(reading)
        try scene.logOut()
        #expect(try name() == nil)
        try scene.logIn(CKU_SO)
        #expect(throws: CKError.userNotLoggedIn) { try set([0x43]) }
    }

    @Test("a field shows as many whole characters of the name as it holds, and nothing from a NUL on")
    func shortNames() throws {
        let scene = try Scene("usb", as: CKU_USER)
        for (name, shown) in [
            ("A" + String(repeating: "ж", count: 16), "A" + String(repeating: "ж", count: 15)),
            (String(repeating: "ж", count: 17), String(repeating: "ж", count: 16)),
            (String(repeating: "🔑", count: 9), String(repeating: "🔑", count: 8)), ("name\0", "name"), ("\0", nil),
        ] as [(String, String?)] {
            try scene.run { session throws(CKError) in try session.setTokenName(Array(name.utf8)) }
            let info = try scene.library.token(in: 0, evicting: true).info
            #expect(info.label == Array(name.utf8))
            #expect(info.label(fitting: 32) == shown.map { Array($0.utf8) })
        }
        // Bytes that are not UTF-8 have no characters to keep whole.
        let bytes = [UInt8](repeating: 0x80, count: 40)
        try scene.run { session throws(CKError) in try session.setTokenName(bytes) }
        #expect(try scene.library.token(in: 0, evicting: true).info.label(fitting: 32) == Array(bytes.prefix(32)))
    }

    @Test("four licences of 72 bytes are written by either login, and read by anybody", arguments: identities)
    func licences(_ identity: String) throws {
        let scene = try Scene(identity)
        func licence(_ number: CK_ULONG) throws -> [UInt8] {
            try scene.run { session throws(CKError) in try session.licence(number) }
        }
        func set(_ number: CK_ULONG, _ licence: [UInt8]) throws {
            try scene.run { session throws(CKError) in try session.setLicence(number, to: licence) }
        }
        #expect(try licence(1) == [UInt8](repeating: 0, count: 72))
        let licences = (1...4).map { [UInt8](repeating: $0, count: 72) }
        #expect(throws: CKError.userNotLoggedIn) { try set(1, licences[0]) }
        for (user, numbers) in [(CKU_USER, 1...2), (CKU_SO, 3...4)] as [(CK_USER_TYPE, ClosedRange<CK_ULONG>)] {
            try scene.logIn(user)
            for number in numbers { try set(number, licences[Int(number) - 1]) }
            for number in [0, 5, CK_ULONG.max] {
                #expect(throws: CKError.argumentsBad) { try set(number, licences[0]) }
                #expect(throws: CKError.argumentsBad) { try licence(number) }
            }
            for count in [0, 71, 73] {
                #expect(throws: CKError.argumentsBad) { try set(1, [UInt8](repeating: 9, count: count)) }
            }
            try scene.logOut()
        }
        for number in 1...4 { #expect(try licence(CK_ULONG(number)) == licences[number - 1]) }
    }

    @Test("the journal is empty before the first signature, and has 126 bytes after it", arguments: identities)
    func journal(_ identity: String) throws {
        let scene = try Scene(identity, as: CKU_USER)
        #expect(try scene.library.journal(in: 0) == [])
        let keys = try scene.application.makeKeys(scene.session)
        let signature = try scene.application.sign(
            scene.session, keys.privateKey, Application.digest, CKM_GOSTR3410)
        try scene.library.closeAllSessions(with: 0)
        let journal = try scene.library.journal(in: 0)
        #expect(journal.count == 126)
        #expect(Array(journal[4..<36]) == Application.digest)
        #expect(Array(journal[38..<102]) == signature.reversed())
        #expect(throws: CKError.slotIDInvalid) { try scene.library.journal(in: 15) }
    }

    @Test("a local PIN gets its first value by User's PIN and further ones by its own", arguments: identities)
    func localPINs(_ identity: String) throws {
        let scene = try Scene(identity)
        let library = scene.library
        func set(_ number: CK_ULONG, to new: String, by present: String) throws {
            try library.setLocalPIN(number, in: 0, to: .of(new), presenting: .of(present))
        }
        #expect(throws: CKError.deviceError) { try library.localPIN(3, in: 0) }
        #expect(throws: CKError.pinIncorrect) { try set(3, to: "local PIN", by: "11111111") }
        #expect(try scene.state.triesLeft == 9)
        try set(3, to: "local PIN", by: Application.userPIN)
        let state = try library.localPIN(3, in: 0)
        #expect(state.tries == 10 && state.triesLeft == 10 && state.maximumLength == 249)
        #expect(throws: CKError.pinIncorrect) { try set(3, to: "other PIN", by: Application.userPIN) }
        #expect(try library.localPIN(3, in: 0).triesLeft == 9)
        try set(3, to: "other PIN", by: "local PIN")
        #expect(try library.localPIN(3, in: 0).triesLeft == 10)
        for number in [0, 1, 2, 32, 33, CK_ULONG.max] {
            #expect(throws: CKError.argumentsBad) { try set(number, to: "local PIN", by: Application.userPIN) }
            #expect(throws: CKError.argumentsBad) { try library.localPIN(number, in: 0) }
        }
    }

    @Test("the SO sets User's default PIN, resets the PIN to it, and restores the standard one", arguments: identities)
    func defaults(_ identity: String) throws {
        let scene = try Scene(identity, as: CKU_SO)
        func manage(_ body: (Session) throws(CKError) -> Void) throws { try scene.run(body) }
        // A new token's policy lets User alone change the PIN.
        #expect(throws: CKError(CKR_FUNCTION_REJECTED)) {
            try manage { session throws(CKError) in try session.resetPINToDefault(of: CKU_USER) }
        }
        try scene.library.closeAllSessions(with: 0)
        let format = TokenFormat(
            securityOfficer: .init(value: .of("87654321")), user: .init(value: .of(Application.userPIN)),
            changePolicy: 3, label: [], isRepair: false)
        try scene.library.initToken(in: 0, pin: .of("87654321"), format: format, mode: 0)
        let next = try scene.application.open()
        try scene.application.logIn(next, "87654321", as: CKU_SO)
        try scene.library.withSession(next) { session throws(CKError) in
            try session.setDefaultPIN(of: CKU_USER, to: .of("default PIN"))
            try session.resetPINToDefault(of: CKU_USER)
            try session.logOut()
        }
        try scene.application.logIn(next, "default PIN")
        try scene.library.withSession(next) { session throws(CKError) in try session.logOut() }
        try scene.application.logIn(next, "87654321", as: CKU_SO)
        try scene.library.withSession(next) { session throws(CKError) in
            try session.restoreStandardPIN(of: CKU_USER)
            try session.resetPINToDefault(of: CKU_USER)
            try session.logOut()
        }
        try scene.application.logIn(next)
    }

    @Test("a PIN that the SO wants changed is used as before, until User has changed it", arguments: identities)
    func forcedChange(_ identity: String) throws {
        let scene = try Scene(identity, as: CKU_SO)
        #expect(try !scene.library.mustChangePIN(of: CKU_USER, in: 0))
        try scene.run { session throws(CKError) in try session.forcePINChange(of: CKU_USER) }
        #expect(try scene.library.mustChangePIN(of: CKU_USER, in: 0))
        #expect(try !scene.library.mustChangePIN(of: CKU_SO, in: 0))
        #expect(throws: CKError.argumentsBad) { try scene.library.mustChangePIN(of: 2, in: 0) }
        try scene.logOut()
        try scene.logIn(CKU_USER)
        #expect(try scene.library.mustChangePIN(of: CKU_USER, in: 0))
        try scene.run { session throws(CKError) in
            try session.setPIN(old: .of(Application.userPIN), new: .of(Application.userPIN))
        }
        #expect(try !scene.library.mustChangePIN(of: CKU_USER, in: 0))
    }

    @Test("whether a PIN must be changed cannot be asked of a token that is not activated")
    func unknownChange() throws {
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let library = Application(reader, store: Folder()).library
        for user in [CKU_USER, CKU_SO] {
            #expect(throws: CKError.functionNotSupported) { try library.mustChangePIN(of: user, in: 0) }
        }
    }

    @Test("User manages no PIN, and nobody the SO's")
    func refusals() throws {
        for (user, managed, error) in [
            (CKU_USER, CKU_USER, CKError.userNotLoggedIn), (CKU_SO, CKU_SO, .argumentsBad), (CKU_SO, 3, .argumentsBad),
        ] as [(CK_USER_TYPE, CK_USER_TYPE, CKError)] {
            let scene = try Scene("usb", as: user)
            #expect(throws: error) {
                try scene.run { session throws(CKError) in try session.restoreStandardPIN(of: managed) }
            }
            #expect(throws: error) {
                try scene.run { session throws(CKError) in try session.resetPINToDefault(of: managed) }
            }
            #expect(throws: error) {
                try scene.run { session throws(CKError) in
                    try session.setDefaultPIN(of: managed, to: .of("default PIN"))
                }
            }
            #expect(throws: error) {
                try scene.run { session throws(CKError) in try session.forcePINChange(of: managed) }
            }
        }
        let scene = try Scene("usb", as: CKU_SO)
        for pin in ["12345", String(repeating: "1", count: 33)] {
            #expect(throws: CKError.pinLengthRange) {
                try scene.run { session throws(CKError) in try session.setDefaultPIN(of: CKU_USER, to: .of(pin)) }
            }
        }
    }

    @Test("a token with a drive tells its size and volumes; one without has no such function")
    func drives() throws {
        let flash = try Scene("flash3").library
        #expect(try flash.driveSize(in: 0) == 30_436)
        let volumes = try flash.volumes(in: 0)
        #expect(volumes.map(\.number) == [1, 2, 3])
        #expect(volumes.map(\.size) == [334, 29_102, 500])
        #expect(volumes.map(\.accessMode) == [.compactDisc, .hidden, .hidden])
        let plain = try Scene("usb").library
        #expect(throws: CKError.functionNotSupported) { try plain.driveSize(in: 0) }
        #expect(throws: CKError.functionNotSupported) { try plain.volumes(in: 0) }
    }
}
