// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TestSupport
import Testing
import Token

extension Contract {
    @Suite("Local PINs")
    struct LocalPINTests {
        @Test("local PINs have the numbers 3 to 31")
        func numbers() {
            #expect((-1...300).filter { LocalPIN(number: $0) != nil } == Array(3...31))
        }

        @Test("a new local PIN needs User's PIN, the next value its own", arguments: Subject.disposable)
        func values(_ subject: Subject) throws {
            let token = try subject.freshToken()
            let pin = try #require(LocalPIN(number: 3))
            #expect(try token.localPIN(pin) == nil)
            #expect(throws: TokenError.pinIncorrect) {
                try token.setLocalPIN(pin, to: .of("local 1"), presenting: .of("00000000"))
            }
            #expect(try token.localPIN(pin) == nil)
            #expect(try token.info(evicting: true).user.triesLeft == 9)
            try token.setLocalPIN(pin, to: .of("local 1"), presenting: .of(Subject.userPIN))
            let state = try #require(try token.localPIN(pin))
            #expect((state.minimumLength, state.tries, state.triesLeft) == (6, 10, 10))
            #expect(state.isUTF8)

            #expect(throws: TokenError.pinIncorrect) {
                try token.setLocalPIN(pin, to: .of("local 2"), presenting: .of(Subject.userPIN))
            }
            #expect(try token.localPIN(pin)?.triesLeft == 9)
            #expect(try token.info(evicting: true).user.triesLeft == 10)
            try token.setLocalPIN(pin, to: .of("a longer local PIN"), presenting: .of("local 1"))
            #expect(try token.localPIN(pin)?.triesLeft == 10)
            try token.setLocalPIN(pin, to: .of("local 3"), presenting: .of("a longer local PIN"))
        }

        @Test("a local PIN is as long as User's has to be", arguments: Subject.disposable)
        func lengths(_ subject: Subject) throws {
            let token = try subject.freshToken()
            let pin = try #require(LocalPIN(number: 31))
            #expect(throws: TokenError.pinLength) {
                try token.setLocalPIN(pin, to: .of("short"), presenting: .of(Subject.userPIN))
            }
            // A PIN without a value is left, which counts as absent; the next attempt creates it.
            #expect(try token.localPIN(pin) == nil)
            try token.setLocalPIN(pin, to: .of("longer"), presenting: .of(Subject.userPIN))
            #expect(try token.localPIN(pin) != nil)
        }

        @Test("setting one leaves the login as it was, and no right on the card", arguments: Subject.disposable)
        func logins(_ subject: Subject) throws {
            let token = try subject.freshToken()
            let pin = try #require(LocalPIN(number: 4))
            try token.setLocalPIN(pin, to: .of("local 1"), presenting: .of(Subject.userPIN))
            #expect(token.login == nil)
            #expect(throws: TokenError.notLoggedIn) { try token.setLabel([0x78]) }
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
            try token.setLocalPIN(pin, to: .of("local 2"), presenting: .of("local 1"))
            let other = try #require(LocalPIN(number: 5))
            try token.setLocalPIN(other, to: .of("local 1"), presenting: .of(Subject.userPIN))
            #expect(token.login == .user)
            try token.setLabel([0x78])
        }

        @Test("formatting takes them away", arguments: Subject.disposable)
        func formatting(_ subject: Subject) throws {
            let token = try subject.freshToken()
            let pin = try #require(LocalPIN(number: 3))
            try token.setLocalPIN(pin, to: .of("local 1"), presenting: .of(Subject.userPIN))
            try token.format(Subject.format(), pin: .of(Subject.securityOfficerPIN))
            #expect(try token.localPIN(pin) == nil)
        }
    }
}
