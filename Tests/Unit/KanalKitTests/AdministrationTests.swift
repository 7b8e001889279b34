// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import GOST
import KanalKit
import TestSupport
import Testing
import Token

@Suite("Local PINs, licences and the journal")
struct AdministrationTests {
    private static let identities: [Identity] = [.usb, .bt]

    @Test("A local PIN is set by the user's PIN, changed by its own, and listed", arguments: identities)
    func localPINs(_ identity: Identity) async throws {
        let machine = try Machine(identity)
        try await machine.token().perform { session in
            #expect(try session.localPINs().isEmpty)
            #expect(throws: KanalError.pinIncorrect(triesLeft: 9)) {
                try session.setLocalPIN(3, to: PIN("local PIN"), presenting: PIN("11111111"))
            }
            try session.setLocalPIN(3, to: PIN("local PIN"), presenting: Machine.pin)
            try session.setLocalPIN(31, to: PIN("another local PIN"), presenting: Machine.pin)
            #expect(throws: KanalError.pinIncorrect(triesLeft: 9)) {
                try session.setLocalPIN(3, to: PIN("new local PIN"), presenting: Machine.pin)
            }
            let pins = try session.localPINs()
            #expect(pins.map(\.number) == [3, 31] && pins.map(\.details.triesLeft) == [9, 10])
            #expect(
                pins.allSatisfy { $0.details.lengths == 6...249 && $0.details.tries == 10 && !$0.details.isDefault })
            try session.setLocalPIN(3, to: PIN("new local PIN"), presenting: PIN("local PIN"))
            #expect(try session.localPINs().map(\.details.triesLeft) == [10, 10])
            for number in [-1, 0, 1, 2, 32, 300] {
                #expect(throws: KanalError.self) {
                    try session.setLocalPIN(number, to: PIN("local PIN"), presenting: Machine.pin)
                }
            }
        }
        #expect(KanalKit.LocalPIN.numbers == 3...31)
    }

    @Test("Licences are written by user and officer, read by everybody, and outlive formatting", arguments: identities)
    func licences(_ identity: Identity) async throws {
        let machine = try Machine(identity)
        let token = try await machine.token()
        let bytes = Licence.numbers.map { [UInt8](repeating: UInt8($0), count: Licence.size) }
        try await token.perform { session in
            for number in Licence.numbers {
                let licence = try session.licence(number)
                #expect(licence == nil)
            }
            #expect(throws: KanalError.pinNeeded) { try session.setLicence(1, to: bytes[0]) }
        }
        try await token.perform(pin: Machine.pin) { session in
            for number in 1...3 { try session.setLicence(number, to: bytes[number - 1]) }
            for number in [-1, 0, 5] {
                #expect(throws: KanalError.self) { try session.setLicence(number, to: bytes[0]) }
                #expect(throws: KanalError.self) { try session.licence(number) }
            }
            #expect(throws: KanalError.self) { try session.setLicence(1, to: [1]) }
        }
        try await token.perform(as: .securityOfficer, pin: Machine.officerPIN) { session in
            try session.setLicence(4, to: bytes[3])
        }
        try await token.format(officerPIN: Machine.officerPIN, userPIN: Machine.pin)
        try await token.perform { session in
            for number in Licence.numbers {
                let licence = try session.licence(number)
                #expect(licence == bytes[number - 1])
            }
        }
        #expect(Licence.numbers == 1...4)
    }

    @Test("The journal tells the last signature by a key of GOST, of either size", arguments: identities)
    func journal(_ identity: Identity) async throws {
        let machine = try Machine(identity)
        let token = try await machine.token()
        let empty = try await token.perform { session in try session.journal() }
        #expect(empty == nil)
        for (count, kind) in zip(1..., [KeyKind.gost256, .gost512]) {
            let digest = [UInt8](repeating: UInt8(count), count: kind == .gost512 ? 64 : 32)
            let signature = try await token.perform(pin: Machine.pin) { session in
                let pair = try session.generateKeyPair(kind, id: [1], label: "key")
                return try session.sign(digest: digest.span, with: pair)
            }
            await token.forgetPIN()
            let record = try #require(try await token.perform { session in try session.journal() })
            let entry = try #require(record.entry)
            #expect(entry.digest == digest && entry.signature == signature && entry.count == count)
            #expect(entry.serialNumber == machine.reader.card.serial && !entry.isHashedByToken)
            #expect(record.bytes.count == (kind == .gost512 ? 224 : 126))
        }
    }

    @Test("A wrong present PIN tells how many tries are left; a PIN that is kept is presented and gives them back")
    func wrongPresentPIN() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        try await token.perform { session in
            for left in [9, 8] {
                #expect(throws: KanalError.pinIncorrect(triesLeft: left)) {
                    try session.changePIN(from: PIN("11111111"), to: PIN("22222222"))
                }
            }
            try session.changePIN(from: Machine.pin, to: PIN("22222222"))
        }
        try await token.perform(as: .securityOfficer, pin: Machine.officerPIN) { session in
            #expect(throws: KanalError.pinIncorrect(triesLeft: 10)) {
                try session.changePIN(from: PIN("11111111"), to: PIN("22222222"))
            }
            try session.changePIN(from: Machine.officerPIN, to: PIN("33333333"))
        }
    }

    @Test("The security officer's PIN is changed without a login, and no try of the user's is spent")
    func officerPIN() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        try await token.perform(as: .securityOfficer) { session in
            #expect(throws: KanalError.pinIncorrect(triesLeft: 9)) {
                try session.changePIN(from: Machine.pin, to: PIN("22222222"))
            }
            try session.changePIN(from: Machine.officerPIN, to: PIN("33333333"))
        }
        _ = try await token.perform(as: .securityOfficer, pin: PIN("33333333")) { session in try session.keyPairs() }
        _ = try await token.perform { session in
            #expect(throws: KanalError.pinIncorrect(triesLeft: 9)) {
                try session.changePIN(from: PIN("11111111"), to: PIN("22222222"))
            }
        }
    }

    @Test("A PIN is forgotten in a cancelled task, too")
    func forgottenWhenCancelled() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        _ = try await token.perform(pin: Machine.pin) { session in
            try session.generateKeyPair(.gost256, id: [1], label: "key")
        }
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await token.forgetPIN()
        }
        await task.value
        await #expect(throws: KanalError.pinNeeded) {
            _ = try await token.perform { session in try session.generateKeyPair(.gost256, id: [2], label: "other") }
        }
    }
}
