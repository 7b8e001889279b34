// SPDX-License-Identifier: Apache-2.0
import Asking
import Cryptoki
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Secrets
import TestSupport
import Testing
import Tokens
import Translation

@Suite("PINs and consent that an application has asked for")
struct AskingTests {
    /// An authenticator's answer.
    enum Answer: Sendable {
        case text(String)
        case no(AskingError)
    }

    static let ends: [(AskingError, KanalError)] = [
        (.cancelled, .cancelled), (.failed("time ran out"), .askingFailed("time ran out")),
        (.notInstalled("pinentry"), .authenticatorNotInstalled("pinentry")),
        (.notConfigured, .authenticatorNotConfigured),
    ]

    /// An authenticator that answers so, always.
    private static func interaction(_ answer: Answer, consent: Consent = .never) -> UserInteraction {
        var interaction = UserInteraction()
        interaction.prompt = UserPrompt(asksUser: true) { _ throws(AskingError) in
            switch answer {
            case .text(let text): return Secret(copying: Array(text.utf8))
            case .no(let error): throw error
            }
        } confirm: { _ throws(AskingError) in
            if case .no(let error) = answer { throw error }
        }
        interaction.consent = consent
        interaction.asksForActivation = true
        return interaction
    }

    @Test("The answer is the PIN", arguments: [Identity.usb, .bt])
    func success(_ identity: Identity) async throws {
        let machine = try Machine(identity, interaction: Self.interaction(.text(EmulatedReader.userPIN)))
        let token = try await machine.token()
        #expect(token.hasAuthenticator)
        try await token.perform(pin: token.askForPIN(for: "to test")) { session in
            _ = try session.generateKeyPair(.gost256, id: [1], label: "key")
        }
    }

    @Test("Each end without an answer is told apart", arguments: 0..<4)
    func ends(_ index: Int) async throws {
        let machine = try Machine(.usb, interaction: Self.interaction(.no(Self.ends[index].0)))
        let token = try await machine.token()
        await #expect(throws: Self.ends[index].1) { _ = try await token.askForPIN() }
        #expect(machine.verifications == 0)
    }

    @Test("A refused consent is told apart from other ends", arguments: 0..<4)
    func consent(_ index: Int) async throws {
        let machine = try Machine(.usb, interaction: Self.interaction(.no(Self.ends[index].0), consent: .always))
        let token = try await machine.token()
        await #expect(throws: Self.ends[index].1) {
            try await token.perform(pin: Machine.pin) { session in
                let key = try session.generateKeyPair(.gost256, id: [1], label: "key")
                _ = try session.sign([1, 2, 3].span, with: key)
            }
        }
        #expect(machine.reader.count(of: 0x2A) == 0)
    }

    @Test("Work with a new token asks for its activation password, if that is configured; a no is as if nobody asked")
    func activation() async throws {
        let machine = try Machine(.bt, interaction: Self.interaction(.text(EmulatedReader.password)))
        try await machine.manager.find().perform { session in _ = try session.randomBytes(1) }
        let other = try Machine(.bt, interaction: Self.interaction(.no(.cancelled)))
        await #expect(throws: KanalError.notActivated) {
            try await other.manager.find().perform { session in _ = try session.randomBytes(1) }
        }
    }

    @Test("Without an authenticator nobody is asked")
    func nobody() async throws {
        let machine = try Machine(.usb)
        let token = try await machine.token()
        #expect(!token.hasAuthenticator)
        await #expect(throws: KanalError.authenticatorNotConfigured) { _ = try await token.askForPIN() }
    }
}
