// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Secrets
import TestSupport
import Testing
import Token
import Tokens

@Suite("Formatting and PINs", .serialized)
struct FormatTests {
    static let identities: [Identity] = [.usb, .bt(.classic), .bt(.modern)]

    private static func format(
        user: String = "user's PIN", policy: UInt8 = 0x02, label: String = "formatted", isRepair: Bool = false
    ) -> TokenFormat {
        TokenFormat(
            securityOfficer: .init(value: .of("SO's new PIN"), minimumLength: 8, tries: 5),
            user: .init(value: .of(user), minimumLength: 7, tries: 3), changePolicy: policy, label: Array(label.utf8),
            isRepair: isRepair)
    }

    /// An application that may work, without a session.
    private static func start(_ identity: Identity) throws -> (EmulatedReader, Application) {
        let passwords = identity.channel == nil ? [] : [Application.password]
        let reader = try EmulatedReader(identity, passwords: passwords)
        let application = Application(reader, store: Folder())
        if !passwords.isEmpty { try application.activate() }
        return (reader, application)
    }

    @Test("a formatted token has the new label, PINs, limits and tries, and no objects", arguments: identities)
    func format(_ identity: Identity) throws {
        let (reader, application) = try Self.start(identity)
        let session = try application.open()
        try application.logIn(session)
        _ = try application.makeKeys(session)
        #expect(throws: CKError.sessionExists) {
            try application.library.initToken(in: 0, pin: .of("87654321"), format: Self.format(), mode: 0)
        }
        try application.library.closeAllSessions(with: 0)
        try application.library.initToken(in: 0, pin: .of("87654321"), format: Self.format(), mode: 0)

        let info = try application.library.token(in: 0, evicting: true).info
        #expect(info.label == Array("formatted".utf8))
        #expect(info.user.minimumLength == 7 && info.user.tries == 3 && info.user.changePolicy == 0x02)
        #expect(info.securityOfficer.minimumLength == 8 && info.securityOfficer.tries == 5)
        let next = try application.open()
        #expect(throws: CKError.pinIncorrect) { try application.logIn(next) }
        try application.logIn(next, "user's PIN")
        #expect(try application.find(next).isEmpty)
        let keys = try application.makeKeys(next)
        _ = try application.sign(next, keys.privateKey, Application.digest, CKM_GOSTR3410)
        if identity.channel != nil { #expect(reader.plainCommands.isEmpty) }
    }

    @Test("a wrong SO PIN formats nothing and spends one try")
    func wrongPIN() throws {
        let (_, application) = try Self.start(.bt)
        #expect(throws: CKError.pinIncorrect) {
            try application.library.initToken(in: 0, pin: .of("11111111"), format: Self.format(), mode: 0)
        }
        let info = try application.library.token(in: 0, evicting: true).info
        #expect(info.securityOfficer.triesLeft == 9)
        try application.logIn(try application.open())
    }

    @Test(
        "a token whose formatting was cut off has no PIN to log in with, and is formatted without one",
        arguments: identities)
    func cutOff(_ identity: Identity) throws {
        let (reader, application) = try Self.start(identity)
        // ERASE is the last command that the token gets.
        reader.onResponse { _, instruction, response throws(LinkError) in
            guard instruction != 0x7A else { throw .removed(sent: true) }
            return response
        }
        #expect(throws: CKError.self) {
            try application.library.initToken(in: 0, pin: .of("87654321"), format: Self.format(), mode: 0)
        }
        reader.onResponse(nil)
        reader.removeCard()
        reader.insertCard()
        let session = try application.open()
        for user in [CKU_USER, CKU_SO] {
            #expect(throws: CKError(CKR_USER_PIN_NOT_INITIALIZED)) {
                try application.logIn(session, "12345678", as: user)
            }
        }
        try application.library.closeAllSessions(with: 0)
        try application.library.initToken(in: 0, pin: .of("12345678"), format: Self.format(), mode: 0)
        try application.logIn(try application.open(), "user's PIN")
    }

    @Test("another token than the one that is meant is not formatted")
    func anotherToken() throws {
        let (reader, application) = try Self.start(.usb)
        let library = application.library
        #expect(throws: CKError.deviceRemoved) {
            try library.initToken(
                in: 0, ofToken: reader.card.serial.reversed(), pin: .of("87654321"), format: Self.format(), mode: 0)
        }
        #expect(reader.count(of: 0x7A) == 0)
        try library.initToken(
            in: 0, ofToken: reader.card.serial, pin: .of("87654321"), format: Self.format(), mode: 0)
        #expect(reader.count(of: 0x7A) == 1)
    }

    @Test("repair without the SO's PIN needs that PIN to be blocked", arguments: identities)
    func repair(_ identity: Identity) throws {
        let (_, application) = try Self.start(identity)
        func repair() throws {
            try application.library.initToken(
                in: 0, pin: Secret(count: 0), format: Self.format(isRepair: true), mode: 0)
        }
        #expect(throws: CKError.pinLengthRange) { try repair() }
        let session = try application.open()
        for _ in 0..<10 {
            #expect(throws: CKError.pinIncorrect) { try application.logIn(session, "11111111", as: CKU_SO) }
        }
        try application.library.closeAllSessions(with: 0)
        try repair()
        try application.logIn(try application.open(), "user's PIN")
    }

    @Test("the mode of secure messaging is one that the token has, or the default")
    func modes() throws {
        let (reader, application) = try Self.start(.bt(.classic))
        let before = reader.count(of: 0x7A)
        #expect(throws: CKError.functionNotSupported) {
            try application.library.initToken(
                in: 0, pin: .of("87654321"), format: Self.format(), mode: SECURE_MESSAGING_ENHANCED_GOST)
        }
        #expect(reader.count(of: 0x7A) == before)
        try application.library.initToken(
            in: 0, pin: .of("87654321"), format: Self.format(), mode: SECURE_MESSAGING_GOST)
        _ = try application.open()
    }

    @Test(
        "a formatting that was cut short at any command can be done again",
        arguments: [1, 3, 4, 5, 9, 25, 45, 52, 56, 60, 64, 68, 72])
    func cutShort(_ last: Int) throws {
        let (reader, application) = try Self.start(.bt)
        reader.onResponse { number, _, response throws(LinkError) in
            guard number < last else { throw .transmission(code: 1) }
            return response
        }
        _ = try? application.library.initToken(in: 0, pin: .of("87654321"), format: Self.format(), mode: 0)
        reader.onResponse(nil)
        reader.resetCard()
        let pins = ["87654321", "SO's new PIN"]
        #expect(
            pins.contains { pin in
                (try? application.library.initToken(in: 0, pin: .of(pin), format: Self.format(), mode: 0)) != nil
            })
        try application.logIn(try application.open(), "user's PIN")
    }

    @Test("the SO sets User's PIN where the token allows it, and gives its tries back", arguments: identities)
    func initPIN(_ identity: Identity) throws {
        let (_, application) = try Self.start(identity)
        let format = Self.format(policy: 0x03)
        try application.library.initToken(in: 0, pin: .of("87654321"), format: format, mode: 0)
        let session = try application.open()
        for _ in 0..<3 { #expect(throws: CKError.pinIncorrect) { try application.logIn(session, "wrong one") } }
        #expect(throws: CKError.pinLocked) { try application.logIn(session, "user's PIN") }
        func initPIN(_ pin: String) throws {
            try application.library.withSession(session) { session throws(CKError) in try session.initPIN(.of(pin)) }
        }
        #expect(throws: CKError.userNotLoggedIn) { try initPIN("next PIN") }
        try application.logIn(session, "SO's new PIN", as: CKU_SO)
        #expect(throws: CKError.pinLengthRange) { try initPIN("short") }
        try initPIN("next PIN")
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        try application.logIn(session, "next PIN")
    }

    @Test(
        "the policy of a token as it is made keeps the SO from setting User's PIN, and nothing changes",
        arguments: identities)
    func userPolicy(_ identity: Identity) throws {
        let (reader, application) = try Self.start(identity)
        let session = try application.open()
        func tries() throws -> Int { try application.library.token(in: 0, evicting: true).info.user.triesLeft }
        for _ in 0..<2 { #expect(throws: CKError.pinIncorrect) { try application.logIn(session, "wrong one") } }
        try application.logIn(session, "87654321", as: CKU_SO)
        let before = (reader.count(of: 0x24), reader.count(of: 0x2C), try tries())
        let error = #expect(throws: CKError(CKR_FUNCTION_REJECTED)) {
            try application.library.withSession(session) { session throws(CKError) in
                try session.initPIN(.of("next PIN"))
            }
        }
        #expect(error?.reason?.description.contains("policy") == true)
        #expect(try (reader.count(of: 0x24), reader.count(of: 0x2C), tries()) == before && before.2 == 8)
    }

    @Test("a PIN is changed with its old value, or by who is logged in without it", arguments: identities)
    func setPIN(_ identity: Identity) throws {
        let (reader, application) = try Self.start(identity)
        let session = try application.open()
        func setPIN(_ old: String, _ new: String) throws {
            try application.library.withSession(session) { session throws(CKError) in
                try session.setPIN(old: .of(old), new: .of(new))
            }
        }
        #expect(throws: CKError.pinIncorrect) { try setPIN("11111111", "next PIN") }
        #expect(throws: CKError.userNotLoggedIn) { try setPIN("", "next PIN") }
        try setPIN("12345678", "next PIN")
        #expect(throws: CKError.pinIncorrect) { try application.logIn(session) }
        try application.logIn(session, "next PIN")
        // A wrong one does not end the login.
        #expect(throws: CKError.pinIncorrect) { try setPIN("11111111", "third PIN") }
        try setPIN("", "third PIN")
        try setPIN("third PIN", "fourth PIN")
        let keys = try application.makeKeys(session)
        // The retained PIN is the new one.
        if identity.channel != nil { reader.resetCard() }
        _ = try application.sign(session, keys.privateKey, Application.digest, CKM_GOSTR3410)
    }
}
