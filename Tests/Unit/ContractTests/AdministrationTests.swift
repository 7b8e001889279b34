// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TestSupport
import Testing
import Token

extension Contract {
    @Suite("What the SO and User do to a token")
    struct AdministrationTests {
        private static func officer(_ subject: Subject) throws -> ConnectedToken {
            let token = try subject.freshToken()
            try token.logIn(as: .securityOfficer, pin: .of(Subject.securityOfficerPIN))
            return token
        }

        private static func spend(_ tries: Int, of token: ConnectedToken) {
            for _ in 0..<tries {
                #expect(throws: TokenError.pinIncorrect) { try token.logIn(as: .user, pin: .of("00000000")) }
            }
        }

        @Test("a wrong PIN spends one try, a right one gives all back", arguments: Subject.disposable)
        func tries(_ subject: Subject) throws {
            let token = try subject.freshToken()
            Self.spend(3, of: token)
            #expect(try token.info(evicting: true).user.triesLeft == 7)
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
            #expect(try token.info(evicting: true).user.triesLeft == 10)
        }

        @Test("ten wrong PINs block it, and the SO gives it back with its value", arguments: Subject.disposable)
        func unblocking(_ subject: Subject) throws {
            let token = try subject.freshToken()
            #expect(throws: TokenError.notLoggedIn) { try token.unblockUserPIN() }
            Self.spend(10, of: token)
            #expect(throws: TokenError.pinLocked) { try token.logIn(as: .user, pin: .of(Subject.userPIN)) }
            try token.logIn(as: .securityOfficer, pin: .of(Subject.securityOfficerPIN))
            try token.unblockUserPIN()
            #expect(try token.info(evicting: true).user.triesLeft == 10)
            try token.logOut()
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
        }

        @Test("the default PIN is the SO's to set, to restore and to give back", arguments: Subject.disposable)
        func defaults(_ subject: Subject) throws {
            let token = try Self.officer(subject)
            try token.format(Subject.format(policy: 0x03), pin: .of(Subject.securityOfficerPIN))
            try token.logIn(as: .securityOfficer, pin: .of(Subject.securityOfficerPIN))
            try token.setDefaultUserPIN(to: .of("11112222"))
            #expect(try token.info(evicting: true).user.isChanged)
            try token.resetUserPINToDefault()
            try token.logIn(as: .user, pin: .of("11112222"))
            try token.logIn(as: .securityOfficer, pin: .of(Subject.securityOfficerPIN))
            try token.setDefaultUserPIN(to: Secret(count: 0))
            try token.resetUserPINToDefault()
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
        }

        @Test("an SO who may not change User's PIN cannot reset it either", arguments: Subject.disposable)
        func policy(_ subject: Subject) throws {
            let token = try Self.officer(subject)
            try token.format(Subject.format(policy: 0x02), pin: .of(Subject.securityOfficerPIN))
            try token.logIn(as: .securityOfficer, pin: .of(Subject.securityOfficerPIN))
            #expect(throws: TokenError.forbiddenByPolicy) { try token.resetUserPINToDefault() }
            #expect(throws: TokenError.forbiddenByPolicy) { try token.resetUserPIN(to: .of("11112222")) }
            try token.unblockUserPIN()
            #expect(try token.info(evicting: true).user.changePolicy == 0x02)
        }

        @Test("a change that was demanded stays demanded until User has changed the PIN", arguments: Subject.disposable)
        func forcedChange(_ subject: Subject) throws {
            let token = try Self.officer(subject)
            try token.forceUserPINChange()
            #expect(try token.info(evicting: true).isUserPINChangeForced)
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
            #expect(try token.info(evicting: true).isUserPINChangeForced)
            try token.changePIN(of: .user, from: .of(Subject.userPIN), to: .of(Subject.userPIN))
            #expect(try !token.info(evicting: true).isUserPINChangeForced)
        }

        @Test(
            "a name of up to 255 bytes replaces the one before, and an empty one is none", arguments: Subject.disposable
        )
        func label(_ subject: Subject) throws {
            let token = try subject.freshToken()
            #expect(throws: TokenError.notLoggedIn) { try token.setLabel([]) }
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
            for name in ["токен", String(repeating: "x", count: 255), "token", "nekot"] {
                try token.setLabel(Array(name.utf8))
                #expect(try token.info(evicting: true).label == Array(name.utf8))
            }
            try token.setLabel([])
            #expect(try token.info(evicting: true).label == nil)
            #expect(throws: TokenError.unsupported) { try token.setLabel([UInt8](repeating: 0x78, count: 256)) }
        }

        @Test("licences are written by User or SO, and outlive formatting", arguments: Subject.disposable)
        func licences(_ subject: Subject) throws {
            let token = try subject.freshToken()
            let licence = [UInt8](1...72)
            #expect(throws: TokenError.notLoggedIn) { try token.setLicence(1, to: licence) }
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
            try token.setLicence(1, to: licence)
            try token.logIn(as: .securityOfficer, pin: .of(Subject.securityOfficerPIN))
            try token.setLicence(4, to: licence.reversed())
            #expect(throws: TokenError.unsupported) { try token.setLicence(2, to: Array(licence.dropLast())) }
            #expect(throws: TokenError.unsupported) { try token.setLicence(5, to: licence) }
            try token.format(Subject.format(), pin: .of(Subject.securityOfficerPIN))
            #expect(try token.licence(1) == licence)
            #expect(try token.licence(4) == licence.reversed())
        }
    }
}
