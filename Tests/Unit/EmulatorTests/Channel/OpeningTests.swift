// SPDX-License-Identifier: Apache-2.0
import Emulator
import Locking
import TestSupport
import Testing

@Suite("Opening and renewing sessions, token's side (GSC/1, 10, 11 and 19)")
struct OpeningTests {
    @Test("N26: OPEN-1 of an unknown host answers 6A88", arguments: ChannelProfile.allCases)
    func unknownHost(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        #expect(try ChannelHost(card, profile).open() == "6a88")
    }

    @Test(
        "N3: malformed OPEN-1 and OPEN-2 answer 6A80; other profiles and parameters have their own status words",
        arguments: ChannelProfile.allCases)
    func malformed(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, profile)
        #expect(try host.pair() == "9000")
        let identity = TestObjects.object(0x81, host.identity)
        let bytes = try host.anyShare()
        let share = TestObjects.object(0x82, bytes)
        var bodies: [[UInt8]] = [[], share + identity, identity + share + [0], identity + share.dropLast()]
        bodies.append(TestObjects.object(0x82, host.identity) + share)
        bodies.append(identity + TestObjects.object(0x82, Array(bytes.dropLast())))
        bodies.append(TestObjects.object(0x81, host.identity + [0]) + share)
        for body in bodies { #expect(card.send(host.command("03", body)) == "6a80", "\(body.hex)") }
        #expect(card.send("8086030300") == "6a86")
        for (count, value) in [(0x13, "7c118510" + String(repeating: "00", count: 15)), (0x04, "7c028500")] {
            #expect(try host.beginOpening().status == "9000")
            #expect(card.send("80860400" + [UInt8(count)].hex + value) == "6a80")
        }
        #expect(card.send("8086040100") == "6987")
        #expect(card.send("8086050000") == "6987")
    }

    @Test("N3: an ephemeral key off the curve or not reduced answers 6A80")
    func invalidContribution() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card, .modern)
        #expect(try host.pair() == "9000")
        var offCurve = try host.anyShare()
        offCurve[0] ^= 1
        let ones = [UInt8](repeating: 0xFF, count: 32)
        for share in [offCurve, ones + offCurve.suffix(32), [UInt8](repeating: 0, count: 64)] {
            #expect(card.send(host.firstOpening(share, instance: [])) == "6a80")
        }
    }

    @Test(
        "N4: INST is obligatory with several sessions and forbidden with one; two objects 82 are refused",
        arguments: ChannelProfile.allCases)
    func instance(profile: ChannelProfile) throws {
        for sessions in [1, 4] {
            let card = try TokenSetup(sessions: sessions).card()
            let host = try ChannelHost(card, profile)
            #expect(try host.pair() == "9000")
            let share = try host.anyShare()
            let instance = [UInt8](repeating: 9, count: 8)
            #expect(card.send(host.firstOpening(share, instance: sessions == 1 ? instance : [])) == "6a80")
            let twice = TestObjects.object(0x82, share) + TestObjects.object(0x82, share)
            let end = sessions == 1 ? [] : TestObjects.object(0x83, instance)
            #expect(card.send(host.command("03", TestObjects.object(0x81, host.identity) + twice + end)) == "6a80")
            #expect(try host.open() == "9000")
        }
    }

    @Test(
        "N30, N31: a wrong or replayed MAC_H answers 6300, and active sessions stay",
        arguments: ChannelProfile.allCases,
        [1, 4])
    func wrongMAC(profile: ChannelProfile, sessions: Int) throws {
        let card = try TokenSetup(sessions: sessions).card()
        let host = try card.connectedHost(profile)
        let other = try ChannelHost(card, profile)
        #expect(try other.pair() == "9000")
        let contribution = try other.contribution()
        let first = other.firstOpening(contribution.bytes, instance: other.instance)
        let answer = [UInt8](hex: card.send(first))
        let opening = try #require(other.derive(answer, contribution, other.instance.padded(to: 32)))
        var flipped = opening
        flipped.hostMAC[15] ^= 1
        #expect(card.send(other.secondOpening(flipped)) == "6300")
        #expect(card.send(other.secondOpening(opening)) == "6985", "the handshake is gone")
        #expect(status(card.send(first)) == "9000")
        #expect(card.send(other.secondOpening(opening)) == "6300", "recorded MAC_H under a fresh C_T")
        #expect(host.send("00CA018108") == "000000000e0000019000")
    }

    @Test("N30: who fails to prove itself waits twice as long each time, up to five seconds")
    func delays() throws {
        let delays = Lock([Int]())
        var setup = TokenSetup()
        setup.pause = { delay in delays.withLock { $0.append(delay) } }
        let host = try setup.card().connectedHost(.modern)
        for _ in 0..<8 {
            var opening = try #require(try host.beginOpening().opening)
            opening.hostMAC[0] ^= 1
            #expect(host.card.send(host.secondOpening(opening)) == "6300")
        }
        #expect(delays.withLock { $0 } == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
        #expect(try host.open() == "9000")
        #expect(host.send(host.firstOpening(try host.anyShare(), instance: [])).hasSuffix("9000"))
        #expect(host.send("80860400147c128510" + String(repeating: "00", count: 16)) == "6300")
        #expect(delays.withLock { $0.last } == 100)
    }

    @Test(
        "N32, N63: a flood of bare OPEN-1 leaves the session alone; a completed one takes it over without its login",
        arguments: ChannelProfile.allCases)
    func flood(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        #expect(host.send("0020000208" + PIN.user) == "9000")
        let other = try ChannelHost(card, profile)
        #expect(try other.pair() == "9000")
        for _ in 0..<20 { _ = try other.beginOpening() }
        #expect(host.send("0020000208" + PIN.user) == "6f86")
        #expect(try other.open() == "9000")
        #expect(other.send("0020000208" + PIN.user) == "9000", "not 6F86")
        #expect(host.send("00CA018108") == "bare 6988")
    }

    @Test(
        "N45, N52: without a session, and after CLOSE, a protected command answers 6985",
        arguments: ChannelProfile.allCases)
    func close(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        #expect(host.send("80860F00") == "9000")
        #expect(host.send("00CA018108") == "bare 6985")
        #expect(try host.open() == "9000")
        card.reset()
        #expect(host.send("00CA018108") == "bare 6985", "a reset ends all sessions")
    }

    @Test(
        "N55, N56: UNPAIR of the own record ends it after the reply; another's needs the administrator",
        arguments: ChannelProfile.allCases)
    func unpair(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let other = try card.connectedHost(profile)
        let host = try card.connectedHost(profile)
        #expect(host.send("80E44701") == "6982")
        #expect(host.send("80E44709") == "6982")
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        #expect(host.send("80E44709") == "6a88")
        #expect(host.send("80E44701") == "9000")
        #expect(try other.open() == "6a88")
        #expect(host.send("80E447FF") == "9000")
        #expect(host.send("00CA018108") == "bare 6985")
        #expect(try host.open() == "6a88")
    }

    @Test("LIST names every host, and says which one asks", arguments: ChannelProfile.allCases)
    func list(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let pending = try ChannelHost(card, profile)
        #expect(try pending.pair() == "9000")
        let host = try card.connectedHost(profile)
        func entry(_ index: String, _ state: String, _ host: ChannelHost, _ own: String) -> String {
            "e421" + "8001\(index)8101\(state)8201\(host.pid)" + "8308" + host.identity.hex + "8409"
                + [UInt8]("test host".utf8).hex + "8501\(own)"
        }
        let expected = entry("01", "00", pending, "00") + entry("02", "01", host, "01")
        #expect(host.send("80CA471000") == expected + "9000")
        #expect(card.send("80CA471000") == "6987")
    }

    @Test(
        "N64, N65, N66: sessions of several hosts live side by side; the least recently used gives way",
        arguments: ChannelProfile.allCases)
    func parallel(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 2).card()
        let first = try card.connectedHost(profile)
        let second = try card.connectedHost(profile)
        #expect([first.channel, second.channel] == [0, 1])
        #expect(first.send("0020000208" + PIN.user) == "9000")
        #expect(second.send("0020000208" + PIN.user) == "9000", "a login belongs to its session")
        #expect(try first.open() == "9000", "N65: the same process re-opens in its own place")
        #expect(first.channel == 0)
        #expect(second.send("0020000208" + PIN.user) == "6f86")
        #expect(first.send("00CA018108").hasSuffix("9000"))
        let third = try card.connectedHost(profile)
        #expect(third.channel == 1, "the second was used longer ago")
        #expect(second.send("00CA018108") == "bare 6988")
        #expect(third.send("00CA018108").hasSuffix("9000"), "the newcomer survives the stale command")
        for _ in 0..<7 { #expect(second.send("00CA018108") == "bare 6988") }
        #expect(third.send("00CA018108") == "bare 6985", "N66: eight strikes end a session")
        #expect(first.send("00CA018108").hasSuffix("9000"))
    }

    @Test(
        "N79: a format in one session clears the login of the others and leaves their channels open",
        arguments: ChannelProfile.allCases)
    func formatWithOthers(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 2).card()
        let first = try card.connectedHost(profile)
        let second = try card.connectedHost(profile)
        #expect(second.send("0020000208" + PIN.user) == "9000")
        #expect(second.send("00A4080006 1000 1000 1000") == "9000")
        #expect(first.send("808A0000") == "9000")
        #expect(first.send("00E000001F 6F1D 80020000 82023800 83023F00 860F47020201000000FF00000000000000") == "9000")
        let pin = "6225 82021000 80020008 83020002 85060106 00AA0000 860F43010200000000FF00000000000000"
        #expect(first.send("00E0000027" + pin) == "9000")
        #expect(first.send("002401020E 80020008A608" + PIN.user) == "9000")
        #expect(first.send("80844E19") == "9000")
        #expect(second.send("00B0000001") == "6a82")
        #expect(second.send("0020000208" + PIN.user) == "9000", "not 6F86")
        #expect(second.send("00E0000027" + KeyFiles.privateKey("01")) == "6a82", "there is no directory for it")
    }

    @Test(
        "A re-paired record that another host takes over ends the first host's session",
        arguments: ChannelProfile.allCases)
    func takenOver(profile: ChannelProfile) throws {
        var setup = TokenSetup(sessions: 2)
        setup.identity.channel?.records = 1
        let card = try setup.card()
        let host = try card.connectedHost(profile)
        #expect(try host.pair() == "9000")
        #expect(host.send("00CA018108").hasSuffix("9000"))
        let other = try ChannelHost(card, profile)
        #expect(try other.pair() == "9000")
        #expect(host.send("00CA018108") == "bare 6985")
    }
}
