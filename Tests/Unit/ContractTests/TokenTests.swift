// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TestSupport
import Testing
import Token

/// The driver's view of a token. Nothing is changed.
extension Contract {
    @Suite("What a token tells")
    struct TokenTests {
        @Test("a token tells its serial number, versions, limits and memory", arguments: Subject.all)
        func information(_ subject: Subject) throws {
            let info = try subject.token().info(evicting: true)
            #expect(info.serial.count == 8)
            #expect(info.versions.hardware.major > 0 && info.versions.firmware.major > 0)
            for pin in [info.user, info.securityOfficer] {
                #expect(pin.minimumLength <= pin.maximumLength && pin.triesLeft <= pin.tries && pin.tries > 0)
            }
            #expect((1...3).contains(info.user.changePolicy))
            #expect(info.freeMemory.map { $0 > 0 } == true)
        }

        @Test("a login holds until the logout, and shows no less than before it", arguments: Subject.known)
        func login(_ subject: Subject) throws {
            let token = try subject.token()
            let visible = try token.objects()
            try token.logIn(as: .user, pin: .of(#require(subject.pin)))
            #expect(token.login == .user)
            let objects = try token.objects()
            #expect(
                objects.keys.count >= visible.keys.count && objects.certificates.count >= visible.certificates.count)
            try token.logOut()
            #expect(token.login == nil)
            #expect(try token.objects() == visible)
        }

        @Test("licences, journal, drive and local PINs are told to everybody", arguments: Subject.all)
        func dataObjects(_ subject: Subject) throws {
            let token = try subject.token()
            for number in 1...4 { #expect(try token.licence(number).count == ConnectedToken.licenceSize) }
            for number in [0, 5] { #expect(throws: TokenError.unsupported) { try token.licence(number) } }
            if let journal = try token.journal() { #expect(journal.first == 0x80) }
            #expect(try (token.driveSize() == nil) == (token.volumes() == nil))
            for number in 3...31 {
                let pin = try #require(LocalPIN(number: number))
                if let state = try token.localPIN(pin) { #expect(state.minimumLength >= 1 && state.tries > 0) }
            }
        }

        @Test("random bytes are as many as were asked for, and others each time", arguments: Subject.all)
        func random(_ subject: Subject) throws {
            let token = try subject.token()
            for count in [1, 32, 256, 1000] { #expect(try token.randomBytes(count).count == count) }
            #expect(try token.randomBytes(16) != token.randomBytes(16))
        }
    }
}
