// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Keys of containers, in Swift")
struct ContainerTests {
    private static let message = Array("message".utf8)

    /// A Lite with one container of the vectors.
    private static func machine(_ name: String) throws -> Machine {
        let vectors = try JSON(vectors: "containers.json").containers.list
        let vector = try #require(vectors.first { $0.id.text == name })
        var files: [UInt8: [UInt8]] = [:]
        for (index, name) in ["masks", "primary", "header", "masks2", "primary2", "name"].enumerated() {
            files[UInt8(index + 1)] = vector.files["\(name).key"].bytes
        }
        let reader = try EmulatedReader(.lite)
        try reader.card.storeContainer(files)
        return try Machine(.lite, sharing: reader)
    }

    @Test("A token with containers names them without a PIN, and is formatted only by a word of its own")
    func formatting() async throws {
        let machine = try Self.machine("cyrillic-name")
        let token = try await machine.token()
        let containers = try await token.keyContainers()
        #expect(containers.count == 1 && containers[0].place == "0A00" && !containers[0].name.isEmpty)
        #expect(try await token.details().containers == containers && machine.verifications == 0)
        var setup = TokenSetup(label: "new")
        let verifications = machine.verifications
        await #expect {
            try await token.format(setup, officerPIN: Machine.officerPIN, userPIN: PIN("another user"))
        } throws: { error in
            guard case .refused("CKR_ACTION_PROHIBITED", _)? = error as? KanalError else { return false }
            return true
        }
        // A card that does not say that there is none may have one.
        machine.reader.onResponse { _, instruction, response in
            instruction == 0xA4 ? Response(.securityStatusNotSatisfied) : response
        }
        await #expect(throws: KanalError.self) {
            try await token.format(setup, officerPIN: Machine.officerPIN, userPIN: PIN("another user"))
        }
        machine.reader.onResponse(nil)
        // Nothing was tried: no PIN was presented, and the key signs.
        #expect(machine.verifications == verifications)
        try await token.perform(pin: Machine.pin) { session in
            let key = try #require(try session.keyPairs().first)
            let signature = try session.sign(Self.message.span, with: key)
            #expect(try session.verify(signature, of: Self.message.span, with: key))
        }
        setup.erasesContainers = true
        try await token.format(setup, officerPIN: Machine.officerPIN, userPIN: PIN("another user"))
        #expect(try await token.keyContainers().isEmpty)
        setup.erasesContainers = false
        try await token.format(setup, officerPIN: Machine.officerPIN, userPIN: PIN("another user"))
    }

    @Test("A key of a container signs, and its pair verifies")
    func signature() async throws {
        let token = try await Self.machine("256-plain").token()
        try await token.perform(pin: Machine.pin) { session in
            let key = try #require(try session.keyPairs().first)
            #expect(!key.needsPassword && key.kind == .gost256)
            let signature = try session.sign(Self.message.span, with: key)
            #expect(try session.verify(signature, of: Self.message.span, with: key))
            #expect(throws: KanalError.self) { try session.delete(key) }
        }
    }

    @Test("The application is asked for a container's password, and again after a wrong one; each use asks")
    func password() async throws {
        let machine = try Self.machine("256-password")
        let token = try await machine.token()
        let asked = Lock<[Bool]>([])
        try await token.perform(pin: Machine.pin) { session in
            let key = try #require(try session.keyPairs().first)
            #expect(key.needsPassword)
            session.askForPasswords { _, wasWrong in
                asked.withLock { $0.append(wasWrong) }
                return PIN(wasWrong ? "123456" : "no")
            }
            for _ in 0..<2 {
                let signature = try session.sign(Self.message.span, with: key)
                #expect(try session.verify(signature, of: Self.message.span, with: key))
            }
        }
        #expect(asked.withLock { $0 } == [false, true, false, true])
        // The next block has the configuration's authenticator again: here none.
        await #expect(throws: KanalError.authenticatorNotConfigured) {
            try await token.perform { session in
                let key = try #require(try session.keyPairs().first)
                _ = try session.sign(Self.message.span, with: key)
            }
        }
    }

    @Test("After three wrong passwords a use fails, and a refusal of the user ends it")
    func refusals() async throws {
        let token = try await Self.machine("256-password").token()
        try await token.perform(pin: Machine.pin) { session in
            let key = try #require(try session.keyPairs().first)
            session.askForPasswords { _, _ in PIN("no") }
            #expect {
                try session.sign(Self.message.span, with: key)
            } throws: { error in
                guard case .refused("CKR_PIN_INCORRECT", _)? = error as? KanalError else { return false }
                return true
            }
            session.askForPasswords { _, _ in throw KanalError.cancelled }
            #expect(throws: KanalError.cancelled) { try session.sign(Self.message.span, with: key) }
        }
    }
}
