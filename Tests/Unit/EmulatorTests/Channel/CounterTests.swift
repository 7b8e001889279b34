// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("Tries and records, token's side (GSC/1, 7 to 9 and 19)")
struct CounterTests {
    @Test(
        "N8, N10: a wrong password costs a try of each counter; the right one gives C1 and one of C2 back",
        arguments: ChannelProfile.allCases)
    func wrongPassword(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile, verifier: TokenSetup.wrongVerifiers[profile])
        #expect(try host.pair() == "63c4")
        #expect(card.tries(1) == [1, 4, 9, 999])
        for left in ["63c3", "63c2", "63c1"] { #expect(try host.pair() == left) }
        #expect(try host.open() == "6a88", "no record was written")
        host.verifier = TokenSetup.verifiers[profile] ?? []
        #expect(try host.pair() == "9000")
        #expect(card.tries(1) == [1, 5, 6, 995])
    }

    @Test(
        "N9: after five wrong passwords the slot is blocked; other slots and pairs work",
        arguments: ChannelProfile.allCases)
    func blocked(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let paired = try card.connectedHost(profile)
        let host = try ChannelHost(card, profile, verifier: TokenSetup.wrongVerifiers[profile])
        for _ in 0..<5 { _ = try host.pair() }
        #expect(try host.pair() == "6983")
        #expect(card.tries(1) == [2, 0, 5, 994])
        #expect(card.send("80CA470000").contains("8106" + "020100000000"), "E2 shows the slots")
        #expect(try paired.open() == "9000")
        host.slot = 2
        host.verifier = TokenSetup.verifiers[profile] ?? []
        #expect(try host.pair() == "9000")
    }

    @Test(
        "C2 or C3 at zero exhausts the slot; a reset by the administrator helps only a blocked one",
        arguments: ChannelProfile.allCases)
    func exhausted(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        setup.slots[1]?.triesInARow = 0
        setup.slots[2]?.failuresLeft = 0
        setup.slots[3] = setup.slots[1]
        setup.slots[3]?.triesInARow = 5
        setup.slots[3]?.attemptsLeft = 0
        setup.slots[4] = setup.slots[1]
        setup.slots[4]?.triesInARow = 5
        let card = try setup.card()
        let host = try ChannelHost(card, profile)
        for slot in 1...3 {
            host.slot = slot
            #expect(try host.pair() == "6983")
        }
        host.slot = 5
        #expect(try host.pair() == "6984", "an empty slot")
        host.slot = 4
        #expect(try host.pair() == "9000")
        #expect(try host.open() == "9000")
        #expect(host.send("80861001") == "6982")
        #expect(host.send("00200001 08" + PIN.administrator) == "9000")
        for slot in 1...3 { #expect(host.send("8086100\(slot)") == "9000") }
        #expect(card.tries(1) == [1, 5, 10, 1000])
        #expect(card.tries(2) == [3, 5, 0, 1000])
        #expect(host.send("80861005") == "6984")
        #expect(host.send("80861007") == "6a86")
    }

    @Test("N11: a try is in the memory before PAIR-1 is answered", arguments: ChannelProfile.allCases)
    func powerCutAfterDecrement(profile: ChannelProfile) throws {
        let memory = FaultyMemory()
        var setup = TokenSetup()
        setup.memory = memory
        let card = try setup.card()
        let host = try ChannelHost(card, profile)
        let before = memory.states.count
        #expect(try host.beginPairing().status == "9000")
        #expect(memory.states.count == before + 1)
        let again = try EmulatedCard(setup.identity, memory: FaultyMemory(memory.states.last))
        #expect(again.tries(1) == [1, 4, 9, 999])
        memory.fail(at: 0, .before)
        #expect(try host.beginPairing().status == "6400", "and nothing is computed if it cannot be written")
        #expect(card.tries(1) == [1, 4, 9, 999])
    }

    @Test(
        "N20, N21, N25: a host keeps its place; pending records give way, the oldest first, active ones never",
        arguments: ChannelProfile.allCases)
    func fullTable(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        setup.identity.channel?.records = 3
        let card = try setup.card()
        let hosts = try (0..<3).map { _ in try ChannelHost(card, profile) }
        for (index, host) in hosts.enumerated() {
            #expect(try host.pair() == "9000")
            #expect(host.recordIndex == index + 1)
        }
        #expect(try hosts[0].open() == "9000")
        let newcomer = try ChannelHost(card, profile)
        #expect(try newcomer.pair() == "9000")
        #expect(newcomer.recordIndex == 2, "the oldest pending one")
        #expect(try hosts[1].open() == "6a88")
        #expect(try newcomer.open() == "9000")
        #expect(try hosts[2].open() == "9000")
        let last = try ChannelHost(card, profile)
        #expect(try last.pair() == "6a84")
        #expect(try hosts[0].pair() == "9000", "who is there pairs again in place")
        #expect(hosts[0].recordIndex == 1)
        #expect(try hosts[2].open() == "9000")
        #expect(hosts[2].send("80E447FF") == "9000")
        #expect(try last.pair() == "9000")
        #expect(last.recordIndex == 3)
    }

    @Test("N20, N25: a 17th host answers 6A84 after 16 active ones; of 16 pending ones the oldest gives way")
    func seventeenHosts() throws {
        let card = try TokenSetup(sessions: 4).card()
        let profiles = (0..<17).map { ChannelProfile.allCases[$0 % 2] }
        let hosts = try profiles.map { try ChannelHost(card, $0) }
        for host in hosts { #expect(try host.pair() == "9000") }
        #expect(hosts[16].recordIndex == 1)
        #expect(try hosts[0].open() == "6a88")
        for host in hosts.dropFirst() { #expect(try host.open() == "9000") }
        #expect(try hosts[0].pair() == "6a84")
        #expect(try hosts[9].pair() == "9000" && hosts[9].recordIndex == 10, "N21: the same index")
        #expect(hosts[16].send("80E447FF") == "9000")
        #expect(try hosts[0].pair() == "9000" && hosts[0].recordIndex == 1)
    }
}
