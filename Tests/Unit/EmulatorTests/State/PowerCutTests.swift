// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Power cuts at each write of the memory (GSC/1, 7, 8 and 19)")
struct PowerCutTests {
    /// The exchange of a host and a token before the power is cut.
    private static func run(_ setup: TokenSetup, _ host: (EmulatedCard) throws -> ChannelHost) throws -> ChannelHost {
        let card = try EmulatedCard(setup.identity, memory: setup.memory)
        let host = try host(card)
        guard try host.pair() == "9000", try host.open() == "9000" else { return host }
        host.send("0020000208" + PIN.user)
        return host
    }

    @Test(
        "N11, N12: whatever write of pairing, opening and use does not happen, the next attempt succeeds",
        arguments: ChannelProfile.allCases, [1, 4])
    func everyWrite(profile: ChannelProfile, sessions: Int) throws {
        let scalar = try SystemRandom().bytes(31) + [1]
        var cuts = 0
        for write in 1... {
            var setup = TokenSetup(sessions: sessions)
            let memory = FallibleMemory(VolatileMemory())
            setup.memory = memory
            _ = try setup.card()
            memory.fail(at: write)
            let before = try Self.run(setup) { try ChannelHost($0, profile, scalar: scalar) }
            let isCut = memory.writes >= write
            memory.fail(at: .max)

            let card = try EmulatedCard(setup.identity, memory: memory)
            let tries = card.tries(1)
            #expect(tries[1] >= 4 && tries[2] >= 9 && tries[3] >= 999, "no more than one try is spent")
            // A host that completed pairing opens; another pairs again in the same place.
            let after = try ChannelHost(card, profile, scalar: scalar)
            after.tokenKey = before.tokenKey
            if before.tokenKey.isEmpty {
                #expect(try after.pair() == "9000")
                #expect(after.recordIndex == 1, "one record, however often it is tried")
            }
            #expect(try after.open() == "9000")
            #expect(status(after.send("0020000208" + PIN.user)) == "9000")
            #expect(after.send("80CA471000").hasPrefix("e421800101810101"), "the only record, active")
            guard isCut else { break }
            cuts += 1
        }
        // PAIR-1, PAIR-2 twice, OPEN-2, VERIFY twice.
        #expect(cuts == 6)
    }

    @Test(
        "Whatever write of a re-pairing does not happen, the pairing before or the new one opens",
        arguments: ChannelProfile.allCases)
    func repairing(profile: ChannelProfile) throws {
        let scalar = try SystemRandom().bytes(31) + [1]
        for write in 1...5 {
            var setup = TokenSetup(sessions: 4)
            let memory = FallibleMemory(VolatileMemory())
            setup.memory = memory
            let first = try ChannelHost(setup.card(), profile, scalar: scalar)
            #expect(try first.pair() == "9000" && first.open() == "9000")
            memory.fail(at: write)
            _ = try Self.run(setup) { try ChannelHost($0, profile, scalar: scalar) }
            memory.fail(at: .max)
            let card = try EmulatedCard(setup.identity, memory: memory)
            let after = try ChannelHost(card, profile, scalar: scalar)
            after.tokenKey = first.tokenKey
            #expect(try after.open() == "9000")
        }
    }

    @Test("A one-time slot is consumed in the same write as its record becomes active")
    func oneTime() throws {
        for write in 1...5 {
            var setup = TokenSetup(sessions: 4)
            let memory = FallibleMemory(VolatileMemory())
            setup.memory = memory
            setup.slots[1]?.isOneTime = true
            _ = try setup.card()
            memory.fail(at: write)
            let host = try Self.run(setup) { try ChannelHost($0, .modern) }
            memory.fail(at: .max)
            let card = try EmulatedCard(setup.identity, memory: memory)
            let after = try ChannelHost(card, .modern, scalar: host.scalar)
            after.tokenKey = host.tokenKey
            if card.tries(1)[0] == 4 {
                #expect(try after.open() == "9000", "who consumed it is paired")
            } else {
                #expect(try after.pair() == "9000" && after.open() == "9000", "who is not paired can still pair")
            }
        }
    }

    @Test("A channel reset and a new password happen as a whole or not at all")
    func administration() throws {
        for command in ["80861F00", "8086110103800100" + "00", "80E447FF"] {
            var setup = TokenSetup(sessions: 4)
            let memory = FallibleMemory(VolatileMemory())
            setup.memory = memory
            let host = try setup.card().connectedHost(.modern)
            #expect(host.send("0020000108" + PIN.administrator) == "9000")
            memory.fail(at: 1)
            #expect(host.send(command) == "6400")
            #expect(host.send("00CA018108").hasSuffix("9000"), "the session lives")
            memory.fail(at: .max)
            let card = try EmulatedCard(setup.identity, memory: memory)
            #expect(card.tries(1) == [1, 5, 10, 999])
            let after = try ChannelHost(card, .modern, scalar: host.scalar)
            after.tokenKey = host.tokenKey
            #expect(try after.open() == "9000")
        }
    }
}

@Suite("States of older emulators")
struct OldStateTests {
    @Test("A state of version 1 is a token of the classic profile, until a channel reset")
    func versionOne() throws {
        var setup = TokenSetup(sessions: 4)
        setup.identity.channel?.profiles = [.classic]
        let slot = TokenSetup.slot(9)
        setup.slots = [
            1: ActivationSlot(salt: slot.salt, verifiers: slot.verifiers.filter { $0.key == .classic })
        ]
        let state = [UInt8](copying: try setup.state().encoded())
        // Version 2 has the list of profiles before the keys.
        let start = try #require((0..<state.count - 8).last { state[$0..<$0 + 7] == [1, 1, 1, 0, 0, 0, 32] })
        var old = Array(state[..<start]) + [1] + state[(start + 2)...].dropLast(32)
        old[5] = 1
        old += Streebog256.hash(old)
        let identity = TokenSetup(sessions: 4).identity
        let card = try EmulatedCard(identity, memory: FaultyMemory(old))
        #expect([UInt8](hex: card.send("80CA470000"))[21] == 1, "classic only")
        #expect(try ChannelHost(card, .modern).pair() == "6a81")
        let host = try card.connectedHost(.classic)
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        #expect(host.send("80861F00") == "9000")
        #expect([UInt8](hex: card.send("80CA470000"))[21] == 3, "both")
        #expect(try ChannelHost(card, .modern).pair() == "6a81", "the slot's password is the old one")
    }
}
