// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import TestSupport
import Testing
import Token

@Suite("What this process changes itself", .serialized)
struct OwnChangeTests {
    private static let flows = (DriverPowerCutTests.flows + DriverPowerCutTests.objectFlows).filter { flow in
        !flow.isProtected && flow.pins.count == 1
    }

    @Test("the next search costs two commands, and shows what another process reads", arguments: flows)
    func nextSearch(_ flow: DriverPowerCutTests.Flow) throws {
        let driver = try Driver.loggedIn(.usb)
        try DriverPowerCutTests.makeKey(driver)
        try flow.prepare(driver)
        let before = try driver.token.objects()
        try flow.act(driver)
        guard driver.token.login == .user else { return }
        let (objects, commands) = try driver.cost { try driver.token.objects() }
        #expect(try objects == driver.other(login: true).token.objects())
        if objects != before { #expect(commands == 2) }
    }

    @Test("in a channel too")
    func channel() throws {
        let driver = try Driver.loggedIn(.bt)
        _ = try driver.token.objects()
        try DriverPowerCutTests.makeKey(driver)
        let (objects, commands) = try driver.cost { try driver.token.objects() }
        #expect(objects.keys.count == 2)
        #expect(commands == 1)
    }

    @Test("what another process changed before is found, and what it changes after")
    func others() throws {
        let driver = try Driver.loggedIn(.usb)
        _ = try driver.token.objects()
        let other = try driver.other(login: true)
        for count in [2, 4] {
            try DriverPowerCutTests.makeKey(other)
            try DriverPowerCutTests.storeData(driver, isPrivate: true)
            #expect(try driver.token.objects().keys.count == count)
            #expect(try driver.token.objects() == other.token.objects())
        }
    }

    @Test("a change that the card refuses leaves everything known")
    func failure() throws {
        let driver = try Driver.loggedIn(.usb)
        let before = try driver.token.objects()
        driver.reader.onResponse { _, instruction, response throws(LinkError) in
            instruction == 0x46 ? Response(.notEnoughMemory) : response
        }
        #expect(throws: TokenError.memoryFull) { try DriverPowerCutTests.makeKey(driver) }
        driver.reader.onResponse(nil)
        let (objects, commands) = try driver.cost { try driver.token.objects() }
        #expect(objects == before)
        #expect(commands == 2)
    }

    @Test("random bytes, licences, the journal, local PINs and C_Logout cost one command behind the serial number")
    func single() throws {
        let driver = try Driver.loggedIn(.usb)
        let pin = try #require(LocalPIN(number: 3))
        let calls: [() throws -> Void] = [
            { _ = try driver.token.randomBytes(32) }, { _ = try driver.token.licence(1) },
            { _ = try driver.token.journal() }, { _ = try driver.token.localPIN(pin) },
            { _ = try driver.token.driveSize() }, { try driver.token.logOut() },
        ]
        for call in calls { #expect(try driver.cost(call).commands == 2) }
    }

    @Test("what is known of files serves every login", arguments: ["usb", "bt"])
    func logins(_ identity: String) throws {
        let driver = try Driver.loggedIn(identity == "bt" ? .bt : .usb)
        try DriverPowerCutTests.makeKey(driver)
        #expect(try driver.token.objects().count == 2)
        try driver.token.logOut()
        try driver.token.logIn(as: .securityOfficer, pin: .of("87654321"))
        try driver.token.logOut()
        try driver.logIn()
        #expect(try driver.token.objects().count == 2)
        try driver.token.logOut()
        #expect(try driver.token.objects().count == 1)
        try driver.token.logIn(as: .securityOfficer, pin: .of("87654321"))
        #expect(try driver.token.objects().count == 1)
    }
}
