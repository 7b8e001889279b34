// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("Renewing sessions, token's side (GSC/1, 10 and 19)")
struct RenewalTests {
    @Test(
        "N50: a plain opening clears login, file and environment; a renewal keeps them",
        arguments: ChannelProfile.allCases)
    func renewKeepsContext(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        #expect(host.send("0020000208" + PIN.user) == "9000")
        #expect(host.send("00A4080006 1000 1000 1000") == "9000")
        #expect(try host.renew() == "9000")
        #expect(host.send("0020000208" + PIN.user) == "6f86")
        #expect(host.send("00B0000002") == "544e9000")
        #expect(try host.open() == "9000")
        #expect(host.send("00B0000002") == "6a82")
        #expect(host.send("0020000208" + PIN.user) == "9000")
    }

    @Test(
        "N62: a renewal for another host, with a wrong MAC or inside a chain is refused, and the session goes on",
        arguments: ChannelProfile.allCases, [1, 4])
    func refusedRenewal(profile: ChannelProfile, sessions: Int) throws {
        let card = try TokenSetup(sessions: sessions).card()
        let host = try card.connectedHost(profile)
        let other = try ChannelHost(card, profile)
        #expect(try other.pair() == "9000")
        let share = try host.anyShare()
        #expect(host.send(other.firstOpening(share, instance: [])) == "6985")
        let first = host.firstOpening(share, instance: [])
        let wrong = host.secondOpening(.init(hostMAC: [UInt8](repeating: 0, count: 16), seed: [], exporter: []))
        #expect(host.send(host.firstOpening(share, instance: [UInt8](repeating: 1, count: 8))) == "6a80", "no INST")
        #expect(status(host.send(first)) == "9000")
        #expect(host.send(wrong) == "6300")
        #expect(status(host.send(first)) == "9000")
        #expect(host.send("0084000001").hasSuffix("9000"))
        #expect(host.send(wrong) == "6985")
        #expect(host.send("102A908001 61") == "9000")
        #expect(host.send(first) == "6985")
        #expect(try host.renew() == "9000")
        #expect(host.send("00CA018108") == "000000000e0000019000")
    }

    @Test("N62: a renewal in the other profile is refused with 6985 inside the session")
    func renewalInOtherProfile() throws {
        let card = try TokenSetup().card()
        let other = try ChannelHost(card, .classic)
        #expect(try other.pair() == "9000")
        let host = try card.connectedHost(.modern)
        #expect(host.send(other.firstOpening(try other.anyShare(), instance: [])) == "6985")
        #expect(host.send("00CA018108").hasSuffix("9000"))
    }

    @Test("Two renewals follow each other, each bound to the session before", arguments: ChannelProfile.allCases)
    func renewTwice(profile: ChannelProfile) throws {
        let host = try TokenSetup(sessions: 2).card().connectedHost(profile)
        #expect(host.send("0020000208" + PIN.user) == "9000")
        for _ in 0..<2 {
            let before = host.exporter
            #expect(try host.renew() == "9000")
            #expect(host.exporter != before)
            #expect(host.send("0020000208" + PIN.user) == "6f86")
        }
    }

    @Test(
        "A renewal whose first reply is fetched in pieces inside the session goes on",
        arguments: ChannelProfile.allCases)
    func renewalInPieces(profile: ChannelProfile) throws {
        let host = try TokenSetup(sessions: 2).card().connectedHost(profile)
        let contribution = try host.contribution()
        let answer = host.send(host.firstOpening(contribution.bytes, instance: []).dropLast(2) + "10")
        #expect(answer.count == 36 && answer.dropLast(2).hasSuffix("61"))
        let rest = host.send("00C0000000")
        let opening = try #require(
            host.derive([UInt8](hex: data(answer) + data(rest)), contribution, host.exporter))
        #expect(status(host.send(host.secondOpening(opening))) == "9000")
        host.begin(opening)
        #expect(host.send("00CA018108").hasSuffix("9000"))
    }
}
