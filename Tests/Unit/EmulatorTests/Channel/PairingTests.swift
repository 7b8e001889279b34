// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import TestSupport
import Testing

@Suite("Pairing, token's side (GSC/1, 7, 8 and 19)")
struct PairingTests {
    @Test(
        "N12, N35: a record is pending until the first OPEN-2, and a second pairing takes its place",
        arguments: ChannelProfile.allCases)
    func pendingRecord(profile: ChannelProfile) throws {
        let memory = FaultyMemory()
        var setup = TokenSetup()
        setup.memory = memory
        let card = try setup.card()
        let host = try ChannelHost(card, profile)
        let run = try #require(try host.beginPairing().run)
        card.send(host.secondPairing(run))
        let restarted = try EmulatedCard(setup.identity, memory: FaultyMemory(memory.states.last))
        let again = try ChannelHost(restarted, profile, scalar: host.scalar)
        #expect(try again.pair() == "9000")
        #expect(again.recordIndex == 1)
        #expect(try again.open() == "9000")
        #expect(again.send("80CA471000").hasPrefix("e421" + "800101" + "810101" + "8201" + host.pid), "active now")
    }

    @Test(
        "N16: PAIR-2 without PAIR-1, twice, or with the other profile is refused with 6985",
        arguments: ChannelProfile.allCases)
    func order(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile)
        let run = try #require(try host.beginPairing().run)
        let second = host.secondPairing(run)
        let other = "808602" + (profile == .classic ? "02" : "01") + second.dropFirst(8)
        #expect(status(card.send(second)) == "9000")
        #expect(card.send(second) == "6985")
        for wrong in [
            other, host.secondOpening(.init(hostMAC: Array(host.publicKey.prefix(16)), seed: [], exporter: [])),
        ] {
            #expect(try host.beginPairing().status == "9000")
            #expect(card.send(wrong) == "6985")
            #expect(card.send(second) == "6985", "the handshake is gone")
        }
        #expect(card.send("80860203" + second.dropFirst(8)) == "6a86")
        #expect(card.send("8086010300") == "6a86")
    }

    @Test("A profile that the token or the slot does not have is refused with 6A81", arguments: ChannelProfile.allCases)
    func profileMissing(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        let other = try #require(ChannelProfile.allCases.first { $0 != profile })
        let slot = TokenSetup.slot(1)
        setup.slots[1] = ActivationSlot(salt: slot.salt, verifiers: slot.verifiers.filter { $0.key == other })
        let card = try setup.card()
        #expect(try ChannelHost(card, profile).pair() == "6a81")
        #expect(try ChannelHost(card, other).pair() == "9000")
        #expect(card.tries(1) == [1, 5, 10, 999])
        setup.identity.channel?.profiles = [other]
        let narrow = try setup.card()
        let host = try ChannelHost(narrow, profile)
        host.slot = 2
        #expect(try host.pair() == "6a81")
        #expect(try host.open() == "6a81")
    }

    @Test(
        "N17: any command between the two, junk included, ends the handshake",
        arguments: [
            "80CA470000", "0084000008", "00", "0C84000000", "00C0000010", "80860302", "FFFFFFFF", "0184000008",
        ], ChannelProfile.allCases)
    func interruption(command: String, profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile)
        let run = try #require(try host.beginPairing().run)
        card.send(command)
        #expect(card.send(host.secondPairing(run)) == "6985")
        #expect(try host.pair() == "9000")
        let opening = try #require(try host.beginOpening().opening)
        card.send(command)
        #expect(card.send(host.secondOpening(opening)) == "6985")
    }

    @Test("N17: a command in another session ends the handshake too", arguments: ChannelProfile.allCases)
    func interruptionInSession(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 4).card()
        let other = try card.connectedHost(profile)
        let host = try ChannelHost(card, profile)
        let run = try #require(try host.beginPairing().run)
        #expect(other.send("00CA018108").hasSuffix("9000"))
        #expect(card.send(host.secondPairing(run)) == "6985")
        #expect(try host.pair() == "9000")
        let opening = try #require(try host.beginOpening().opening)
        #expect(other.send("00CA018108").hasSuffix("9000"))
        #expect(card.send(host.secondOpening(opening)) == "6985")
    }

    @Test("N17: GET RESPONSE for the first reply does no harm", arguments: ChannelProfile.allCases)
    func getResponse(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile)
        let first = host.firstPairing(try host.anyShare())
        let count = profile == .classic ? 20 : 68
        #expect(card.send(String(first.dropLast(2))) == "61" + [UInt8(count)].hex, "without Le everything waits")
        #expect(card.send("00C00000" + [UInt8(count - 4)].hex).hasSuffix("6104"))
        #expect(card.send("00C0000004").hasSuffix("9000"))
        let zeros = [UInt8](repeating: 0, count: 32)
        let tag: UInt8 = profile == .classic ? 0x86 : 0x84
        let wrong = TestObjects.object(tag, host.hostData) + TestObjects.object(0x85, zeros)
        #expect(card.send(host.command("02", wrong)) == "63c4", "PAIR-2 was expected")
    }

    @Test(
        "N3: malformed PAIR-1 and PAIR-2 answer 6A80; a malformed PAIR-1 costs no try",
        arguments: ChannelProfile.allCases)
    func malformed(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile)
        let slot = TestObjects.object(0x80, [1])
        let identity = TestObjects.object(0x81, host.identity)
        let bytes = try host.anyShare()
        let share = TestObjects.object(0x82, bytes)
        let good = slot + identity + share
        let bodies: [[UInt8]] = [
            [], TestObjects.object(0x81, [1]) + identity + share, TestObjects.object(0x80, [7]) + identity + share,
            TestObjects.object(0x80, [0]) + identity + share, TestObjects.object(0x80, [1, 1]) + identity + share,
            good + [0x83, 1, 0], good + share, identity + slot + share, Array(good.dropLast()),
            slot + TestObjects.object(0x81, card.serial) + share, slot + identity + TestObjects.object(0x82, []),
            slot + identity + TestObjects.object(0x82, Array(bytes.dropLast())),
            slot + identity + [0x82, 0x81, UInt8(bytes.count)] + bytes, slot + identity + [0x82, 0x80] + bytes,
        ]
        for body in bodies { #expect(card.send(host.command("01", body)) == "6a80", "\(body.hex)") }
        for template in ["", "7c", "7c00", "7c01", "7c83000001 00", "7d00", "7c80", "7c0082"] {
            let bytes = [UInt8](hex: template)
            let lc = bytes.isEmpty ? "" : [UInt8(bytes.count)].hex
            #expect(card.send("808601" + host.pid + lc + bytes.hex + "00") == "6a80", "\(template)")
        }
        #expect(card.send(host.firstPairing(bytes).replacing("7c", with: "7d", maxReplacements: 1)) == "6a80")
        #expect(card.tries(1) == [1, 5, 10, 1000])
        #expect(try host.beginPairing().status == "9000")
        #expect(card.send("808602" + host.pid + "057c0385010000") == "6a80")
        #expect(card.tries(1) == [1, 4, 9, 999], "the try was spent before")
    }

    @Test("N13: a public value off the curve, not reduced or zero answers 6A80 and costs no try")
    func invalidShare() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, .modern)
        let good = try host.anyShare()
        var offCurve = good
        offCurve[0] ^= 1
        let ones = [UInt8](repeating: 0xFF, count: 32)
        for share in [
            offCurve, ones + good.suffix(32), good.prefix(32) + ones, [UInt8](repeating: 0, count: 64),
        ] { #expect(card.send(host.firstPairing(share)) == "6a80") }
        #expect(card.tries(1) == [1, 5, 10, 1000])
    }

    @Test(
        "N18: another E1 than the token's own is refused with 6985, without a record, and the tries are restored",
        arguments: ChannelProfile.allCases)
    func downgrade(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile)
        host.capabilities[21] ^= 2
        #expect(try host.pair() == "6985")
        #expect(card.tries(1) == [1, 5, 10, 999])
        let batch = try TokenSetup(sessions: 4).card()
        let deceived = try ChannelHost(batch, profile)
        deceived.capabilities = [0xE1, 0x28] + deceived.capabilities[2..<42]
        #expect(try deceived.pair() == "6985", "the features were taken away")
        #expect(try host.open() == "6a88")
    }

    @Test(
        "N19: DATA_A that is malformed, or whose key is not the host's, is refused with 6A80",
        arguments: ChannelProfile.allCases)
    func hostData(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile)
        let good = host.hostData
        let other = try ChannelHost(card, profile)
        var variants: [[UInt8]] = [good + [0], Array(good.dropLast()), other.hostData]
        for index in [0, 2, 6, 9, 12, 40, 77] {
            var changed = good
            changed[index] ^= 1
            variants.append(changed)
        }
        for variant in variants { #expect(try host.pair(data: variant) == "6a80") }
        host.label = String(repeating: "x", count: 33)
        #expect(try host.pair() == "6a80")
        #expect(card.tries(1)[1...2] == [5, 10], "the password was right each time")
        host.label = ""
        #expect(try host.pair() == "9000")
    }

    @Test(
        "N22: a replayed PAIR-2 is a wrong password, since the token's challenge is fresh",
        arguments: ChannelProfile.allCases)
    func replay(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile)
        let run = try #require(try host.beginPairing().run)
        let second = host.secondPairing(run)
        card.send(second)
        card.send(host.firstPairing(try host.anyShare()))
        #expect(card.send(second) == "63c4")
    }

    @Test(
        "N24: a one-time slot is consumed by the first opening, and other pending records of it go",
        arguments: ChannelProfile.allCases)
    func oneTime(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        setup.slots[1]?.isOneTime = true
        let card = try setup.card()
        let hosts = try (0..<3).map { _ in try ChannelHost(card, profile) }
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

    @Test("Pairing can be forbidden by policy", arguments: ChannelProfile.allCases)
    func policy(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        setup.identity.channel?.policy = 0x07
        let card = try setup.card()
        #expect(try ChannelHost(card, profile).pair() == "6985")
        #expect(card.tries(1) == [1, 5, 10, 1000])
    }

    @Test("Inside a session PAIR answers protected 6985", arguments: ChannelProfile.allCases)
    func insideSession(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        #expect(host.send(host.firstPairing(try host.anyShare())) == "6985")
        #expect(host.send("808602" + host.pid + "00") == "6985")
    }

    @Test("A format keeps slots, counters and records", arguments: ChannelProfile.allCases)
    func format(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        #expect(host.send("807A0000") == "9000")
        #expect(host.send("80844E19") == "9000", "the session goes on")
        #expect(try host.open() == "9000")
        #expect(card.tries(1) == [1, 5, 10, 999])
    }
}
