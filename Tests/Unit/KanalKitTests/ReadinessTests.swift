// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import SecureChannel
import TestSupport
import Testing
import Token

@Suite("A token is ready only if its channel opens")
struct ReadinessTests {
    /// Requires that a token of a new program's manager is told as refused everywhere, and that its sessions are.
    private func requireRefusal(
        _ machine: Machine, state: ChannelDetails.State, error: KanalError? = nil
    ) async throws {
        let token = try await machine.manager.find()
        #expect(!token.isActivated)
        let reader = try #require(try await machine.manager.readers().first)
        #expect(reader.media == nil && !reader.flags.contains(.channelActive) && reader.flags.contains(.present))
        let thrown = await #expect(throws: KanalError.self) { try await token.perform { _ in } }
        if let error { #expect(thrown == error) }
        #expect(!token.isActivated)
        #expect(try await token.details().channel.state == state)
    }

    /// A machine whose pairing another host has removed from the token.
    private func revoked() async throws -> Machine {
        let machine = try Machine(label: "lost")
        let token = try await machine.token()
        try await token.perform { _ in }
        let other = try Machine(sharing: machine.reader, label: "other")
        try await other.token().perform(as: .securityOfficer, pin: Machine.officerPIN) { session in
            try session.unpair(try #require(try session.pairedHosts().first { $0.label == "lost" }))
        }
        machine.reader.removeCard()
        machine.reader.insertCard()
        return machine
    }

    @Test("A pairing that was revoked elsewhere makes no token ready; a new activation does")
    func afterRevocation() async throws {
        let machine = try await revoked()
        try await requireRefusal(machine, state: .revoked, error: .pairingRevoked)
        let token = try await machine.manager.find()
        try await token.activate(password: ActivationPassword(EmulatedReader.password))
        try await token.perform { _ in }
        #expect(token.isActivated)
        let reader = try #require(try await machine.manager.readers().first)
        #expect(reader.media != nil && reader.flags.contains(.channelActive))
    }

    @Test("A token that was ready is told as refused after the first refused session, without another search")
    func known() async throws {
        let machine = try await revoked()
        let token = try await machine.manager.find()
        await #expect(throws: KanalError.pairingRevoked) { try await token.perform { _ in } }
        #expect(!token.isActivated)
    }

    @Test("A classic pairing makes no token ready where modern is the least")
    func minimum() async throws {
        let reader = try EmulatedReader(.bt(.classic), passwords: [EmulatedReader.password])
        let machine = try Machine(sharing: reader)
        _ = try await machine.token()
        let strict = try Machine(sharing: reader, at: machine) { $0.minimumProfile = .modern }
        try await requireRefusal(strict, state: .unusable)
    }

    @Test("A token that must have a channel and offers none says so: no password helps")
    func missing() async throws {
        let machine = try Machine(.usb) { $0.requireSM = true }
        try await requireRefusal(machine, state: .missing, error: .channelMissing)
    }

    @Test("A channel that cannot be opened makes no token ready, and is ready again when it opens")
    func spoiled() async throws {
        let machine = try Machine()
        _ = try await machine.token()
        machine.reader.removeCard()
        machine.reader.insertCard()
        machine.reader.onResponse { _, instruction, response in
            instruction == 0x86 ? Response(response.status, data: response.data.map { ~$0 }) : response
        }
        #expect(try await !machine.manager.find().isActivated)
        machine.reader.onResponse(nil)
        machine.time.pass(.seconds(5))
        #expect(try await machine.manager.find().isActivated)
    }
}
