// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

@Suite("Activation passwords made by the token", .serialized, .inBothProfiles)
struct PasswordTests {
    let reader: EmulatedReader
    let application: Application
    let session: CK_SESSION_HANDLE

    init() throws {
        reader = try EmulatedReader(.underTest, passwords: [Application.password])
        application = Application(reader, store: Folder())
        try application.activate()
        session = try application.open()
    }

    private func generate(_ number: CK_ULONG, _ characters: CK_ULONG = CAPS_AND_DIGITS) throws -> String {
        var text = ""
        try application.library.withSession(session) { session throws(CKError) in
            let request = try session.activationPasswordRequest(number: number, characters: characters)
            let password = try session.generateActivationPassword(request)
            text = String(decoding: [UInt8](copying: password), as: UTF8.self)
        }
        return text
    }

    @Test("a password that the SO makes activates another host; number 0 is the next that is empty")
    func generation() throws {
        try application.logIn(session, "87654321", as: CKU_SO)
        let second = try generate(GENERATE_NEXT_PASSWORD)
        #expect(second.count == 19 && second.split(separator: "-").count == 4)
        #expect("2B".contains(second.prefix(1)))
        let third = try generate(3, CAPS_ONLY)
        #expect("3C".contains(third.prefix(1)))
        #expect(third.dropFirst().allSatisfy { $0 == "-" || ($0.isUppercase && $0 != "O") })
        for password in [second, third] {
            let other = Application(reader, store: Folder())
            try other.activate(password)
            _ = try other.open()
        }
        // A new password takes the old one's place.
        let replaced = try generate(2)
        #expect(throws: CKError.activationPasswordInvalid) { try Application(reader, store: Folder()).activate(second) }
        try Application(reader, store: Folder()).activate(replaced)
    }

    @Test("only the SO, in a session for writing, makes passwords; numbers and characters are checked first")
    func rights() throws {
        #expect(throws: CKError.userNotLoggedIn) { try generate(1) }
        try application.logIn(session)
        #expect(throws: CKError.userNotLoggedIn) { try generate(1) }
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        try application.logIn(session, "87654321", as: CKU_SO)
        let before = reader.commands
        #expect(throws: CKError.argumentsBad) { try generate(7) }
        #expect(throws: CKError.argumentsBad) { try generate(1, 2) }
        #expect(reader.commands == before)
    }

    @Test("a token without channel, or that is used without, makes no passwords", arguments: [true, false])
    func noChannel(_ hasChannel: Bool) throws {
        let wired = Identity.changed { offer in
            offer.policy = 0
            offer.isWireless = false
        }
        let plain = Application(try EmulatedReader(hasChannel ? wired : .usb), store: Folder()) {
            $0.policy.plainBluetooth = true
        }
        let session = try plain.open()
        func request() throws {
            _ = try plain.library.withSession(session) { session throws(CKError) in
                try session.activationPasswordRequest(number: 0, characters: CAPS_AND_DIGITS)
            }
        }
        #expect(throws: CKError.functionNotSupported) { try request() }
        try plain.logIn(session, "87654321", as: CKU_SO)
        #expect(throws: CKError.functionNotSupported) { try request() }
    }

    @Test("when all six are in use there is no next one")
    func full() throws {
        try application.logIn(session, "87654321", as: CKU_SO)
        for _ in 2...6 { _ = try generate(0) }
        #expect(throws: (any Error).self) { try generate(0) }
        _ = try generate(6)
    }
}

@Suite("What activation tells of the token's answers (15.1)", .serialized)
struct ActivationCodeTests {
    @Test(
        "the token's status words become the codes of the table",
        arguments: [
            (0x63C4, CKError.activationPasswordInvalid), (0x6983, .pinLocked), (0x6984, .activationPasswordInvalid),
            (0x6A84, .deviceMemory), (0x6985, .deviceError), (0x6A80, .deviceError), (0x6A86, .deviceError),
            (0x6700, .deviceError), (0x6A81, .functionNotSupported), (0x6881, .deviceError),
        ])
    func codes(_ status: Int, _ error: CKError) throws {
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let application = Application(reader, store: Folder())
        // The answer to PAIR-2, the fourth command after discovery, slot information and PAIR-1.
        reader.onResponse { number, _, response in number == 4 ? .init(.init(UInt16(status))) : response }
        #expect(throws: error) { try application.activate() }
        reader.onResponse(nil)
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        try application.activate()
        _ = try application.open()
    }

    @Test("N18: other capabilities than the token's are told as an error and logged as a possible downgrade")
    func downgrade() throws {
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let journal = Journal()
        let application = Application(reader, store: Folder()) { $0.log = journal.logger }
        // The modern bit is cleared on the way: E1.82 is the third object, after PROTO and SER.
        reader.onResponse { number, _, response in
            let profiles: [UInt8] = [0x82, 0x01, 0x03]
            guard number == 1,
                let index = response.data.indices.first(where: { response.data[$0...].starts(with: profiles) })
            else { return response }
            var changed = response
            changed.data[index + 2] = 0x01
            return changed
        }
        #expect(throws: CKError.deviceError) { try application.activate() }
        #expect(journal.messages.contains { $0.contains("downgrade") })
        reader.onResponse(nil)
        #expect(throws: CKError.functionNotSupported) { try application.open() }
    }

    @Test("N82: with its slot blocked and no pairing, a token on a wired reader is recovered by the SO in plain")
    func recovery() throws {
        let reader = try EmulatedReader(
            .changed { offer in
                offer.policy = 0
                offer.isWireless = false
            }, passwords: [Application.password])
        let application = Application(reader, store: Folder())
        for _ in 0..<5 {
            #expect(throws: CKError.activationPasswordInvalid) { try application.activate("1BCD-EFGH-JKLM-NPQS") }
        }
        #expect(throws: CKError.pinLocked) { try application.activate() }
        // No PKCS #11 function resets a slot: the SO's own tool does, in plain.
        let pin = Array("87654321".utf8)
        #expect(reader.card.process([0x00, 0x20, 0x00, 0x01, UInt8(pin.count)] + pin) == [0x90, 0x00])
        #expect(reader.card.process([0x80, 0x86, 0x10, 0x01]) == [0x90, 0x00])
        try application.activate()
    }
}
