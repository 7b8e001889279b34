// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing
import Tokens

extension AbsenceTests {
    @Test("N76: another token within the window gets no VERIFY, and ends the sessions")
    func anotherToken() throws {
        let other = try EmulatedCard(.underTest, activationPasswords: [Application.password])
        reader.removeCard()
        reader.insertCard(other)
        let before = verifications
        #expect(throws: CKError.deviceRemoved) { try sign() }
        #expect(try presence == .wrongToken)
        #expect(journal.messages.contains("wrong token"))
        #expect(throws: CKError.sessionHandleInvalid) { try sign() }
        #expect(verifications == before)
    }

    @Test("N76: another token that this host is paired with gets no VERIFY either")
    func anotherPairedToken() throws {
        let other = try EmulatedReader(.underTest, passwords: [Application.password])
        let owner = Application(other, store: store)
        try owner.activate()
        _ = try owner.open()
        reader.removeCard()
        reader.insertCard(other.card)
        let before = verifications
        #expect(throws: CKError.deviceRemoved) { try sign() }
        #expect(try presence == .wrongToken)
        #expect(verifications == before)
    }

    @Test("N76: a rogue token with the same serial number gets no VERIFY")
    func rogueToken() throws {
        let rogue = try EmulatedCard(
            .underTest, activationPasswords: [Application.password], serial: reader.card.serial)
        reader.removeCard()
        reader.insertCard(rogue)
        let before = verifications
        #expect(throws: CKError.deviceRemoved) { try sign() }
        #expect(try presence == .wrongToken)
        #expect(verifications == before)
    }
}
