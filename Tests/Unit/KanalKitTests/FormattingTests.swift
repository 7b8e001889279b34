// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import TestSupport
import Testing
import Token

@Suite("Formatting a token, in Swift")
struct FormattingTests {
    private static let identities: [Identity] = [.usb, .bt]

    @Test(
        "A formatted token is empty, has the rules that were asked for, and is worked with at once",
        arguments: identities)
    func format(_ identity: Identity) async throws {
        let machine = try Machine(identity)
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in
            _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
            _ = try session.addData([1].span, label: "data", isPrivate: false)
            try session.setLocalPIN(3, to: PIN("local PIN"), presenting: Machine.pin)
        }
        var setup = TokenSetup(label: "имя")
        setup.userPIN = PINRules(minimumLength: 7, tries: 3)
        setup.officerPIN = PINRules(minimumLength: 8, tries: 5)
        setup.userPINChangers = [.securityOfficer]
        try await token.format(
            setup, officerPIN: Machine.officerPIN, newOfficerPIN: PIN("another officer"), userPIN: PIN("another user"))
        #expect(token.information.label == "имя")
        let details = try await token.details()
        let (user, officer) = (try #require(details.userPIN), try #require(details.officerPIN))
        #expect(user.lengths == 7...249 && user.tries == 3 && user.triesLeft == 3)
        #expect(officer.lengths == 8...249 && officer.tries == 5 && officer.triesLeft == 5)
        #expect(details.userPINChange?.allowed == [.securityOfficer])
        // The PIN that was accepted before is forgotten, and not presented.
        let verifications = machine.verifications
        try await token.perform { session in
            let rest = (
                try session.otherObjects().count, try session.dataObjects().count, try session.localPINs().count
            )
            #expect(rest == (0, 0, 0))
        }
        #expect(machine.verifications == verifications)
        try await token.perform(pin: PIN("another user")) { session in
            #expect(try session.keyPairs().isEmpty)
            _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
        }
        try await token.perform(as: .securityOfficer, pin: PIN("another officer")) { session in
            try session.setUserPIN(PIN("a third PIN"))
        }
        if identity.channel != nil { #expect(machine.reader.plainCommands.isEmpty) }
    }

    @Test("Each step is told when it is done, of a number that stays the same", arguments: identities)
    func progress(_ identity: Identity) async throws {
        let machine = try Machine(identity)
        let token = try await machine.token()
        let steps = Lock<[(done: Int, total: Int, commands: Int)]>([])
        let progress: @Sendable (Int, Int) -> Void = { [reader = machine.reader] done, total in
            steps.withLock { $0.append((done, total, reader.commands)) }
        }
        await #expect(throws: KanalError.self) {
            try await token.format(officerPIN: PIN("wrong officer"), userPIN: Machine.pin, progress: progress)
        }
        #expect(steps.withLock { $0.isEmpty })
        try await token.format(officerPIN: Machine.officerPIN, userPIN: Machine.pin, progress: progress)
        let told = steps.withLock { $0 }
        #expect(told.count > 20 && told.map(\.done) == Array(1...told.count))
        #expect(told.allSatisfy { $0.total == told.count })
        // Each was told after commands of its own.
        if identity.channel == nil { #expect(zip(told, told.dropFirst()).allSatisfy { $0.commands < $1.commands }) }
    }

    @Test("A wrong PIN of the officer erases nothing, tells the tries that are left, and locks at the end")
    func wrongPIN() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in
            _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
        }
        for left in (0...9).reversed() {
            await #expect(throws: KanalError.pinIncorrect(triesLeft: left)) {
                try await token.format(officerPIN: PIN("11111111"), userPIN: Machine.pin)
            }
        }
        await #expect(throws: KanalError.pinLocked) {
            try await token.format(officerPIN: Machine.officerPIN, userPIN: Machine.pin)
        }
        // The user's PIN is still kept.
        let pairs = try await token.perform { session in try session.keyPairs() }
        #expect(pairs.map(\.label) == ["key"])
        try await token.format(officerPIN: nil, newOfficerPIN: Machine.officerPIN, userPIN: PIN("another user"))
        let rest = try await token.perform(pin: PIN("another user")) { session in try session.keyPairs() }
        #expect(rest.isEmpty)
    }

    @Test(
        "What no token takes is refused before a command goes to it, and so is formatting without a PIN that is needed")
    func refusals() async throws {
        let machine = try Machine(.usb)
        let token = try await machine.token()
        let commands = machine.reader.commands
        let changes: [(inout TokenSetup) -> Void] = [
            { $0.userPIN.minimumLength = 5 }, { $0.officerPIN.minimumLength = 250 }, { $0.userPIN.tries = 0 },
            { $0.userPIN.tries = 11 }, { $0.officerPIN.tries = 2 }, { $0.userPINChangers = [] },
            { $0.label = String(repeating: "й", count: 128) },
        ]
        for (number, change) in changes.enumerated() {
            var setup = TokenSetup()
            change(&setup)
            do {
                try await token.format(setup, officerPIN: Machine.officerPIN, userPIN: Machine.pin)
                Issue.record("\(number) is accepted")
            } catch {
                guard case .invalidArgument = error else { Issue.record("\(number): \(error)"); continue }
            }
        }
        await #expect(throws: KanalError.pinLength) {
            try await token.format(officerPIN: Machine.officerPIN, userPIN: PIN("12345"))
        }
        await #expect(throws: KanalError.pinLength) {
            try await token.format(
                officerPIN: Machine.officerPIN, newOfficerPIN: PIN("12345"), userPIN: Machine.pin)
        }
        await #expect(throws: KanalError.self) { try await token.format(officerPIN: nil, userPIN: Machine.pin) }
        #expect(machine.reader.commands == commands)
        let refusal = KanalError.refused(
            code: "CKR_PIN_LEN_RANGE", reason: "the security officer's PIN is not locked, so that it is needed")
        await #expect(throws: refusal) {
            try await token.format(officerPIN: nil, newOfficerPIN: Machine.officerPIN, userPIN: Machine.pin)
        }
    }

    @Test("A token that is not activated, and another in its place, are not formatted")
    func otherTokens() async throws {
        let inactive = try Machine()
        let token = try await inactive.manager.find()
        await #expect(throws: KanalError.notActivated) {
            try await token.format(officerPIN: Machine.officerPIN, userPIN: Machine.pin)
        }
        let machine = try Machine(.usb) { $0.reconnectWindowWired = 0 }
        let own = try await machine.token()
        let other = try EmulatedReader(.usb)
        machine.reader.removeCard()
        machine.reader.insertCard(other.card)
        await #expect(throws: KanalError.wrongToken) {
            try await own.format(officerPIN: Machine.officerPIN, userPIN: Machine.pin)
        }
        #expect(machine.reader.count(of: 0x7A) == 0)
    }
}
