import Emulator
import GOST
import TestSupport
import Testing

@Suite("Pairing, token's side (GSC/1, 7, 8 and 19)")
struct PairingTests {
    @Test("N8, N10: a wrong password costs a try of each counter; the right one gives C1 and one of C2 back")
    func wrongPassword() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, verifier: [UInt8](repeating: 1, count: 32))
        #expect(try host.pair() == "63c4")
        #expect(card.tries(1) == [1, 4, 9, 999])
        for left in ["63c3", "63c2", "63c1"] { #expect(try host.pair() == left) }
        #expect(try host.open() == "6a88", "no record was written")
        host.verifier = TokenSetup.verifier
        #expect(try host.pair() == "9000")
        #expect(card.tries(1) == [1, 5, 6, 995])
    }

    @Test("N9: after five wrong passwords the slot is blocked; other slots and pairs work")
    func blocked() throws {
        let card = try TokenSetup().card()
        let paired = try card.connectedHost()
        let host = try ChannelHost(card, verifier: [UInt8](repeating: 1, count: 32))
        for _ in 0..<5 { _ = try host.pair() }
        #expect(try host.pair() == "6983")
        #expect(card.tries(1) == [2, 0, 5, 994])
        #expect(card.send("80CA470000").contains("8106" + "020100000000"), "E2 shows the slots")
        #expect(try paired.open() == "9000")
        host.slot = 2
        host.verifier = TokenSetup.verifier
        #expect(try host.pair() == "9000")
    }

    @Test("C2 or C3 at zero exhausts the slot; a reset by the administrator helps only a blocked one")
    func exhausted() throws {
        var setup = TokenSetup()
        setup.slots[1]?.c1 = 0
        setup.slots[2]?.c2 = 0
        setup.slots[3] = setup.slots[1]
        setup.slots[3]?.c1 = 5
        setup.slots[3]?.c3 = 0
        setup.slots[4] = setup.slots[1]
        setup.slots[4]?.c1 = 5
        let card = try setup.card()
        let host = try ChannelHost(card)
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

    @Test("N11: a try is in the memory before PAIR-1 is answered")
    func powerCutAfterDecrement() throws {
        let memory = FaultyMemory()
        var setup = TokenSetup()
        setup.memory = memory
        let card = try setup.card()
        let host = try ChannelHost(card)
        let before = memory.states.count
        #expect(try host.beginPairing().status == "9000")
        #expect(memory.states.count == before + 1)
        let again = try EmulatedCard(setup.identity, memory: FaultyMemory(memory.states.last))
        #expect(again.tries(1) == [1, 4, 9, 999])
        memory.fail(at: 0, .before)
        #expect(try host.beginPairing().status == "6400", "and nothing is computed if it cannot be written")
        #expect(card.tries(1) == [1, 4, 9, 999])
    }

    @Test("N12, N35: a record is pending until the first OPEN-2, and a second pairing takes its place")
    func pendingRecord() throws {
        let memory = FaultyMemory()
        var setup = TokenSetup()
        setup.memory = memory
        let card = try setup.card()
        let host = try ChannelHost(card)
        let run = try #require(try host.beginPairing().run)
        card.send(host.secondPairing(run))
        let restarted = try EmulatedCard(setup.identity, memory: FaultyMemory(memory.states.last))
        let again = try ChannelHost(restarted, scalar: host.scalar)
        #expect(try again.pair() == "9000")
        #expect(again.recordIndex == 1)
        #expect(try again.open() == "9000")
        #expect(again.send("80CA471000").hasPrefix("e421" + "800101" + "810101" + "820101"), "active now")
    }

    @Test("N16: PAIR-2 without PAIR-1, twice, or with the other profile is refused with 6985")
    func order() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card)
        let run = try #require(try host.beginPairing().run)
        let second = host.secondPairing(run)
        #expect(status(card.send(second)) == "9000")
        #expect(card.send(second) == "6985")
        #expect(try host.beginPairing().status == "9000")
        #expect(card.send(second.replacing("80860201", with: "80860202")) == "6985")
        #expect(card.send("80860203" + second.dropFirst(8)) == "6a86")
        #expect(card.send("8086010200") == "6a81", "the modern profile is not there")
        #expect(card.send("8086010300") == "6a86")
    }

    @Test(
        "N17: any command between the two, junk included, ends the handshake",
        arguments: [
            "80CA470000", "0084000008", "00", "0C84000000", "00C0000010", "80860302", "FFFFFFFF",
        ])
    func interruption(command: String) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card)
        let run = try #require(try host.beginPairing().run)
        card.send(command)
        #expect(card.send(host.secondPairing(run)) == "6985")
        #expect(try host.pair() == "9000")
        let opening = try #require(try host.beginOpening().opening)
        card.send(command)
        #expect(card.send(host.secondOpening(opening)) == "6985")
    }

    @Test("N17: GET RESPONSE for the first reply does no harm")
    func getResponse() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card)
        let challenge = [UInt8](repeating: 9, count: 16)
        let first = try host.firstPairing(challenge)
        #expect(card.send(String(first.dropLast(2))) == "6114", "without Le everything waits")
        #expect(card.send("00C0000010").hasSuffix("6104"))
        #expect(card.send("00C0000004").hasSuffix("9000"))
        let run = ChannelHost.Run(transcript: [0], keys: Array(repeating: [UInt8](repeating: 0, count: 32), count: 4))
        #expect(card.send(host.secondPairing(run)) == "63c4", "PAIR-2 was expected")
    }

    @Test("N3, N4: malformed PAIR-1 and PAIR-2 answer 6A80; a malformed PAIR-1 costs no try")
    func malformed() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card)
        let challenge = String(repeating: "11", count: 16)
        let identity = host.identity.hex
        for body in [
            "", "7c", "7c00", "7c20 800101 8108\(identity) 8210\(challenge)",
            "7c1f 810101 8108\(identity) 8210\(challenge)",
            "7c1f 800107 8108\(identity) 8210\(challenge)", "7c1f 800100 8108\(identity) 8210\(challenge)",
            "7c811f 800101 8108\(identity) 8210\(challenge)", "7c22 800101 8108\(identity) 8210\(challenge) 830100",
            "7c1f 800101 8108\(identity) 8210\(challenge) 00", "7c1f 800101 8108000000000e000001 8210\(challenge)",
            "7c1f 8108\(identity) 800101 8210\(challenge)", "7c83000001 00",
        ] {
            let bytes = [UInt8](hex: body)
            let command = bytes.isEmpty ? "8086010100" : "80860101" + [UInt8(bytes.count)].hex + bytes.hex + "00"
            #expect(card.send(command) == "6a80", "\(body)")
        }
        #expect(card.tries(1) == [1, 5, 10, 1000])
        #expect(try host.beginPairing().status == "9000")
        #expect(card.send("80860201057c0385010000") == "6a80")
        #expect(card.tries(1) == [1, 4, 9, 999], "the try was spent before")
    }

    @Test("N18: another E1 than the token's own is refused with 6985, without a record, and the tries are restored")
    func downgrade() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card)
        host.capabilities[21] ^= 2
        #expect(try host.pair() == "6985")
        #expect(card.tries(1) == [1, 5, 10, 999])
        #expect(try host.open() == "6a88")
    }

    @Test("N19: DATA_A that is malformed, or whose key is not the host's, is refused with 6A80")
    func hostData() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card)
        let good = host.hostData
        let other = try ChannelHost(card)
        var variants: [[UInt8]] = [[], good + [0], Array(good.dropLast()), other.hostData]
        for index in [0, 2, 6, 9, 12, 40, 77] {
            var changed = good
            changed[index] ^= 1
            variants.append(changed)
        }
        for variant in variants { #expect(try host.pair(data: variant) == "6a80") }
        host.label = String(repeating: "x", count: 33)
        #expect(try host.pair() == "6a80")
        host.label = ""
        #expect(try host.pair() == "9000")
    }

    @Test("N20, N21, N25: a host keeps its place; pending records give way, the oldest first, active ones never")
    func fullTable() throws {
        var setup = TokenSetup()
        setup.identity.channel?.records = 3
        let card = try setup.card()
        let hosts = try (0..<3).map { _ in try ChannelHost(card) }
        for (index, host) in hosts.enumerated() {
            #expect(try host.pair() == "9000")
            #expect(host.recordIndex == index + 1)
        }
        #expect(try hosts[0].open() == "9000")
        let newcomer = try ChannelHost(card)
        #expect(try newcomer.pair() == "9000")
        #expect(newcomer.recordIndex == 2, "the oldest pending one")
        #expect(try hosts[1].open() == "6a88")
        #expect(try newcomer.open() == "9000")
        #expect(try hosts[2].open() == "9000")
        let last = try ChannelHost(card)
        #expect(try last.pair() == "6a84")
        #expect(try hosts[0].pair() == "9000", "who is there pairs again in place")
        #expect(hosts[0].recordIndex == 1)
        #expect(try hosts[2].open() == "9000")
        #expect(hosts[2].send("80E447FF") == "9000")
        #expect(try last.pair() == "9000")
        #expect(last.recordIndex == 3)
    }

    @Test("N22: a replayed PAIR-2 is a wrong password, since the token's challenge is fresh")
    func replay() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card)
        let challenge = try host.firstPairing([UInt8](repeating: 3, count: 16))
        let run = try #require(try host.beginPairing().run)
        let second = host.secondPairing(run)
        card.send(second)
        card.send(challenge)
        #expect(card.send(second) == "63c4")
    }

    @Test("N24: a one-time slot is consumed by the first opening, and other pending records of it go")
    func oneTime() throws {
        var setup = TokenSetup()
        setup.slots[1]?.isOneTime = true
        let card = try setup.card()
        let hosts = try (0..<3).map { _ in try ChannelHost(card) }
        for host in hosts.prefix(2) { #expect(try host.pair() == "9000") }
        #expect(card.tries(1)[0] == 1, "pairing alone does not consume it")
        let late = try #require(try hosts[2].beginPairing().run)
        #expect(status(card.send(hosts[2].secondPairing(late))) == "9000")
        #expect(try hosts[0].open() == "9000")
        #expect(card.tries(1)[0] == 4)
        #expect(try hosts[1].open() == "6a88")
        #expect(try hosts[1].pair() == "6984")
        #expect(try hosts[0].open() == "9000")
    }

    @Test("Pairing can be forbidden by policy")
    func policy() throws {
        var setup = TokenSetup()
        setup.identity.channel?.policy = 0x07
        let card = try setup.card()
        #expect(try ChannelHost(card).pair() == "6985")
        #expect(card.tries(1) == [1, 5, 10, 1000])
    }

    @Test("Inside a session PAIR answers protected 6985")
    func insideSession() throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost()
        #expect(host.send(try host.firstPairing()) == "6985")
        #expect(host.send("8086020100") == "6985")
    }

    @Test("A format keeps slots, counters and records")
    func format() throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost()
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        #expect(host.send("807A0000") == "9000")
        #expect(host.send("80844E19") == "9000", "the session goes on")
        #expect(try host.open() == "9000")
        #expect(card.tries(1) == [1, 5, 10, 999])
    }
}
