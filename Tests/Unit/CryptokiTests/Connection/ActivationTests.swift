// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import SecureChannel
import TestSupport
import Testing
import Token
import Tokens

@Suite("Activation of the secure channel")
struct ActivationTests {
    let reader: EmulatedReader
    let store = Folder()
    let application: Application

    init() throws {
        reader = try EmulatedReader(.bt, passwords: [Application.password])
        application = Application(reader, store: store)
    }

    @Test("before activation the token tells who it is and refuses a session")
    func refusal() throws {
        let token = try application.library.token(in: 0, evicting: false)
        #expect(token.info.serial == reader.card.serial)
        #expect(!token.isActivated)
        #expect(throws: CKError.functionNotSupported) { try application.open() }
    }

    @Test("after activation a session opens, now and after a reset of the card")
    func activation() throws {
        try application.activate()
        _ = try application.open()
        reader.resetCard()
        _ = try application.open()
    }

    @Test("an activated token tells everything, but not at the cost of another application's session")
    func information() throws {
        let reader = try EmulatedReader(.single(.modern), passwords: [Application.password])
        let application = Application(reader, store: Folder())
        try application.activate()
        #expect(try application.library.token(in: 0, evicting: false).info.versions.firmware.major == 34)
        let other = Application(reader, store: Folder())
        try other.activate()
        _ = try other.open()
        let brief = try application.library.token(in: 0, evicting: false).info
        #expect(brief.serial == reader.card.serial)
        #expect(brief.versions.firmware.major == 0)
        #expect(try application.library.token(in: 0, evicting: true).info.versions.firmware.major == 34)
    }

    @Test("an application with the same store is activated, one with another store is not")
    func stores() throws {
        try application.activate()
        let member = Application(reader, store: store)
        _ = try member.open()
        let stranger = Application(reader, store: Folder())
        #expect(throws: CKError.functionNotSupported) { try stranger.open() }
        try stranger.activate()
        _ = try stranger.open()
    }

    @Test("a wrong password is refused and spends one try")
    func wrongPassword() throws {
        for _ in 0..<5 {
            #expect(throws: CKError.activationPasswordInvalid) { try application.activate("1BCD-EFGH-JKLM-NPQS") }
        }
        #expect(throws: CKError.pinLocked) { try application.activate() }
    }

    @Test(
        "a malformed password is refused before anything reaches the card", arguments: ["", "7BCD", "1OOO-0000", "ж"])
    func malformedPassword(_ password: String) throws {
        #expect(throws: CKError.activationPasswordInvalid) { try application.activate(password) }
        #expect(reader.commands == 0)
    }

    @Test("activation while a session is open is refused")
    func sessionExists() throws {
        try application.activate()
        _ = try application.open()
        #expect(throws: CKError.sessionExists) { try application.activate() }
    }

    @Test("activation again keeps the token usable")
    func again() throws {
        try application.activate()
        try application.activate()
        _ = try application.open()
    }

    @Test("the log says why a session is refused")
    func reasons() throws {
        func log(_ reader: EmulatedReader, configure: (inout TokenSettings) -> Void = { _ in }) throws -> [String] {
            let journal = Journal()
            let application = Application(reader, store: store) {
                $0.log = journal.logger
                configure(&$0)
            }
            #expect(throws: CKError.functionNotSupported) { try application.open() }
            return journal.messages
        }
        #expect(try log(reader).contains("the token is not activated: C_EX_SetActivationPassword comes first"))
        #expect(
            try log(EmulatedReader(.usb)) { $0.policy.requireSM = true }
                .contains("the token offers no secure channel, and is not used without one"))
        let classic = try EmulatedReader(.bt(.classic), passwords: [Application.password])
        try Application(classic, store: store).activate()
        #expect(
            try log(classic) { $0.policy.minimumProfile = .modern }
                .contains("the token, or the password, lacks the profile that minimum_profile demands"))
    }

    @Test("without a token there is nothing to activate")
    func noToken() throws {
        reader.removeCard()
        #expect(throws: CKError.tokenNotPresent) { try application.activate() }
        #expect(throws: CKError.slotIDInvalid) { try application.activate(slot: 7) }
    }

    @Test("a token without a channel opens a session in plain and has nothing to activate")
    func plainToken() throws {
        let plain = Application(try EmulatedReader(.usb), store: store)
        _ = try plain.open()
        let other = Application(try EmulatedReader(.usb), store: store)
        #expect(throws: CKError.functionNotSupported) { try other.activate() }
    }
}

@Suite("The list of slots")
struct SlotListTests {
    @Test("a list without a count before it shows the readers of now; one after a count shows what was counted")
    func listing() throws {
        let reader = try EmulatedReader(.usb)
        let library = Application(reader, store: Folder()).library
        #expect(try library.slots(tokenPresent: true, isQuery: false) == [0])
        #expect(try library.slots(tokenPresent: true, isQuery: true) == [0])
        reader.removeCard()
        #expect(try library.slots(tokenPresent: true, isQuery: false) == [0])
        #expect(try library.slots(tokenPresent: true, isQuery: false) == [])
        #expect(throws: CKError.slotIDInvalid) { try library.slot(1) }
        #expect(throws: CKError.tokenNotPresent) { try library.mechanisms(of: 0) }
    }
}
