// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

@Suite("What a token tells of itself")
struct DetailsTests {
    @Test("A token tells versions, memory, PINs and channel", arguments: [Identity.usb, .bt])
    func details(_ identity: Identity) async throws {
        let machine = try Machine(identity)
        let token = try await machine.token()
        let details = try await token.details()
        #expect(details.information == token.information && details.information.isActivated)
        #expect(details.information.serialNumber == machine.reader.card.serial)
        #expect(details.answerToReset == identity.atr && details.modelName == identity.model)
        let build = try #require(details.build)
        #expect(build.hardware.description == "\(identity.hardware.0).\(identity.hardware.1)")
        #expect(build.firmware.major == Int(identity.firmware.0) && build.firmware.minor == Int(identity.firmware.1))
        #expect(build.firmwareChecksum != nil && build.driveMegabytes == nil)
        #expect(details.memory.total == 131_072)
        let free = try #require(details.memory.free)
        #expect((1..<131_072).contains(free))
        for pin in [details.userPIN, details.officerPIN] {
            let pin = try #require(pin)
            #expect(pin.lengths == 6...249 && pin.tries == 10 && pin.triesLeft == 10 && pin.isDefault)
        }
        #expect(details.userPINChange?.allowed == [.user] && details.userPINChange?.isDemanded == false)
        #expect(details.channel.state == (identity.channel == nil ? .notNeeded : .active))
        #expect(details.channel.offered == (identity.channel == nil ? [] : [.classic, .modern]))
        #expect(details.channel.profile == (identity.channel == nil ? nil : .modern))
    }

    @Test("A token that is not activated tells of its channel, and no defaults in place of what it does not tell")
    func inactive() async throws {
        let machine = try Machine()
        let token = try await machine.manager.find()
        let details = try await token.details()
        #expect(!details.information.isActivated && details.information.serialNumber == machine.reader.card.serial)
        #expect(details.build == nil && details.memory.free == nil && details.modelName == nil)
        #expect(details.userPIN == nil && details.officerPIN == nil && details.userPINChange == nil)
        #expect(details.channel.state == .inactive && details.channel.profile == nil)
        #expect(details.channel.isReadyForActivation && !details.channel.needsButton && !details.channel.isInUse)
        #expect(details.channel.passwords.map(\.state) == [.ready] + Array(repeating: .empty, count: 5))
        #expect(details.channel.passwords.map(\.number) == Array(1...6))
        #expect(details.channel.passwords.first?.triesLeft == 5)
        #expect(machine.reader.plainCommands.isEmpty)
    }

    @Test("A token that has forgotten this host says so, and tells no more than one that was never activated")
    func revoked() async throws {
        let lost = try Machine(label: "lost")
        let token = try await lost.token()
        let other = try Machine(sharing: lost.reader, label: "other")
        try await other.token().perform(as: .securityOfficer, pin: Machine.officerPIN) { session in
            for host in try session.pairedHosts() where host.label == "lost" { try session.unpair(host) }
        }
        lost.reader.removeCard()
        lost.reader.insertCard()
        let details = try await token.details()
        #expect(details.channel.state == .revoked && details.userPIN == nil && details.build == nil)
    }

    @Test("Tries, a changed PIN and a demanded change are told as they are now")
    func changes() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        await #expect(throws: KanalError.pinIncorrect(triesLeft: 9)) {
            try await token.perform(pin: PIN("11111111")) { _ in }
        }
        #expect(try await token.details().userPIN?.triesLeft == 9)
        try await token.perform(pin: Machine.pin) { session in
            try session.changePIN(from: Machine.pin, to: PIN("another PIN"))
        }
        let details = try await token.details()
        #expect(details.userPIN?.isDefault == false && details.officerPIN?.isDefault == true)
        #expect(details.userPIN?.triesLeft == 10)
        let plain = try Machine(.usb)
        let other = try await plain.token()
        try AnotherProgram(plain.reader).demandPINChange()
        #expect(try await other.details().userPINChange?.isDemanded == true)
    }

    @Test("A token with a drive tells its size; one of the second generation has no name of its model")
    func models() async throws {
        let flash = try Machine(.flash3)
        #expect(try await flash.token().details().build?.driveMegabytes == 30436)
        let old = try Machine(.ecp2)
        let details = try await old.token().details()
        #expect(details.modelName == nil && details.build?.hardware.description == "20.5")
    }

    @Test("An absent token and another in its place tell nothing; from within work on it the question is refused")
    func absence() async throws {
        let machine = try Machine(.usb) { $0.reconnectWindowWired = 0 }
        let token = try await machine.token()
        let refusal = Lock<KanalError?>(nil)
        try await token.perform { _ in
            Task {
                do throws(KanalError) { _ = try await token.details() } catch { refusal.withLock { $0 = error } }
            }
            for _ in 0..<60_000 where refusal.withLock({ $0 }) == nil { Clocks.system.pause(.milliseconds(10)) }
        }
        #expect(refusal.withLock { $0 } == .nested)
        machine.reader.removeCard()
        await #expect(throws: KanalError.tokenAbsent) { try await token.details() }
        machine.reader.insertCard(try EmulatedReader(.usb).card)
        await #expect(throws: KanalError.wrongToken) { try await token.details() }
    }
}
