// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("Several hosts at one token (GSC/1, 11, 16 and 19)")
struct SharingTests {
    private static let serial = "00CA018108"
    private static let serialReply = "000000000e0000019000"
    /// A file of 400 bytes that the user writes and everybody reads, in the current directory.
    private static let file =
        "00E000001F 6F1D 80020190 82020100 83024001 860F43000200000000020000000000 0000"

    @Test(
        "N54, N63: with enough channels hosts alternate undisturbed, each with its own login, file and environment",
        arguments: [(.classic, .classic), (.modern, .modern), (.classic, .modern)] as [(ChannelProfile, ChannelProfile)]
    )
    func alternating(profiles: (ChannelProfile, ChannelProfile)) throws {
        let card = try TokenSetup(sessions: 2).card()
        let first = try card.connectedHost(profiles.0)
        #expect(first.send("0020000208" + PIN.user) == "9000")
        let second = try card.connectedHost(profiles.1)
        #expect(second.send("0020000208" + PIN.user) == "9000", "no login is inherited: not 6F86")
        #expect(first.send("00A4080006100010001000") == "9000")
        for _ in 0..<20 {
            #expect(first.send("00B0000002") == "544e9000")
            #expect(second.send("00B0000002") == "6a82", "it has no current file")
            #expect(first.send("0020000208" + PIN.user) == "6f86")
        }
        #expect(second.send("80400000") == "9000")
        #expect(first.send("0020000208" + PIN.user) == "6f86", "80 40 acts on its own session")
    }

    @Test("N54, N63: with one channel the newcomer takes it, without the login", arguments: ChannelProfile.allCases)
    func takingTurns(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 1).card()
        let first = try card.connectedHost(profile)
        let second = try ChannelHost(card, profile)
        #expect(try second.pair() == "9000")
        for (host, other) in [(first, second), (second, first), (first, second)] {
            #expect(try host.open() == "9000")
            #expect(host.send("0020000208" + PIN.user) == "9000", "not 6F86")
            let (opening, _) = try other.beginOpening()
            #expect(host.send("0020000208" + PIN.user) == "6f86", "OPEN-1 alone is harmless")
            #expect(card.send(other.secondOpening(try #require(opening))) == "6985", "and it waits no longer")
        }
        #expect(try second.open() == "9000")
        #expect(first.send(Self.serial) == "bare 6988")
        #expect(first.send(Self.serial) == "bare 6985")
    }

    @Test(
        "N64: one host more than channels evicts the least recently used; its stale command harms nobody",
        arguments: [2, 3, 4], ChannelProfile.allCases)
    func eviction(sessions: Int, profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: sessions).card()
        let hosts = try (0..<sessions).map { _ in try card.connectedHost(profile) }
        #expect(hosts.map { Int($0.channel) } == Array(0..<sessions))
        for host in hosts.reversed() { #expect(host.send(Self.serial) == Self.serialReply) }
        let newcomer = try card.connectedHost(profile)
        #expect(Int(newcomer.channel) == sessions - 1, "the last host was used longest ago")
        #expect(hosts[sessions - 1].send(Self.serial) == "bare 6988")
        #expect(newcomer.send(Self.serial) == Self.serialReply)
        for host in hosts.dropLast() { #expect(host.send(Self.serial) == Self.serialReply) }
        #expect(try hosts[sessions - 1].open() == "9000", "and takes the place that was used longest ago")
        #expect(hosts[sessions - 1].send(Self.serial) == Self.serialReply)
        #expect(newcomer.send(Self.serial) == "bare 6988")
    }

    @Test(
        "N64: a channel that CLOSE left is free; the lowest free one is taken first", arguments: ChannelProfile.allCases
    )
    func lowestFree(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 4).card()
        let hosts = try (0..<4).map { _ in try card.connectedHost(profile) }
        for host in [hosts[2], hosts[1]] { #expect(host.send("80860F00") == "9000") }
        for channel in [1, 2] { #expect(Int(try card.connectedHost(profile).channel) == channel) }
        for host in [hosts[0], hosts[3]] { #expect(host.send(Self.serial) == Self.serialReply) }
    }

    @Test(
        "N65: a process that opens again loses its older session only; what was withheld of it is not executed",
        arguments: ChannelProfile.allCases)
    func reopening(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 4).card()
        let other = try card.connectedHost(profile)
        let host = try card.connectedHost(profile)
        let sibling = try ChannelHost(card, profile, scalar: host.scalar)
        sibling.tokenKey = host.tokenKey
        #expect(try sibling.open() == "9000", "another process with the same key")
        let withheld = host.protect("0020000208" + PIN.wrong)
        #expect(try host.open() == "9000")
        #expect(["6985", "6988"].contains(card.process(withheld).hex))
        #expect(host.send("00200002") == "63ca")
        #expect(sibling.send(Self.serial) == Self.serialReply)
        #expect(other.send(Self.serial) == Self.serialReply)
        #expect(Set([host.channel, sibling.channel, other.channel]).count == 3)
    }

    @Test(
        "N66: eight bad tags end a session, with one channel the first; others are untouched", arguments: [1, 2, 4],
        ChannelProfile.allCases)
    func strikes(sessions: Int, profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: sessions).card()
        let other = sessions > 1 ? try card.connectedHost(profile) : nil
        let host = try card.connectedHost(profile)
        let junk: [UInt8] = [0x0C | host.channel, 0x84, 0, 0, 10, 0x8E, 8] + [UInt8](repeating: 0, count: 8) + [0]
        let missing: [UInt8] = [0x0C | host.channel, 0x84, 0, 0, 3, 0x97, 1, 8, 0]
        if sessions > 1 {
            for index in 0..<7 {
                #expect(card.process(index.isMultiple(of: 2) ? junk : missing).hex.hasPrefix("698"))
                #expect(host.send(Self.serial) == Self.serialReply, "a good one does not take strikes back")
            }
        }
        #expect(card.process(junk).hex == "6988")
        #expect(host.send(Self.serial) == "bare 6985")
        if let other { #expect(other.send(Self.serial) == Self.serialReply) }
    }

    @Test(
        "N33: a host that was told another channel than its own reaches no session", arguments: ChannelProfile.allCases)
    func forgedChannel(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 4).card()
        let other = try card.connectedHost(profile)
        let host = try card.connectedHost(profile)
        let own = host.channel
        for (channel, expected) in [(other.channel, "bare 6988"), (3, "bare 6985")] {
            host.channel = channel
            #expect(host.send("0020000208" + PIN.wrong) == expected)
            host.takeBack()
        }
        host.channel = own
        #expect(host.send("00200002") == "63ca", "nothing was executed, and the session waits where it is")
        #expect(other.send(Self.serial) == Self.serialReply)
    }

    @Test("N46: channels from N on answer 6881, those before it 6985 or a session's answer", arguments: [1, 2, 3, 4])
    func channels(sessions: Int) throws {
        let card = try TokenSetup(sessions: sessions).card()
        let host = try card.connectedHost(.modern)
        for channel in 0..<4 {
            for cla in [0x0C, 0x8C] where channel > 0 {
                let expected = channel < sessions ? "6985" : "6881"
                #expect(card.process([UInt8(cla | channel), 0x84, 0, 0, 8]).hex == expected)
            }
            for cla in [0x04, 0x08, 0x84, 0x88] {
                #expect(card.process([UInt8(cla | channel), 0x84, 0, 0, 8]).hex == "6882")
            }
            if channel > 0 { #expect(card.process([UInt8(channel), 0x84, 0, 0, 8]).hex == "6881") }
        }
        #expect(host.send(Self.serial) == Self.serialReply)
    }

    @Test(
        "N68: plain junk, bad tags and another session's chain between two links leave the chain alone",
        arguments: ChannelProfile.allCases)
    func chains(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 2).card()
        let hosts = try (0..<2).map { _ in try card.connectedHost(profile) }
        for host in hosts { #expect(host.send("0020000208" + PIN.user) == "9000") }
        #expect(hosts[0].send("00A408000410001001") == "9000")
        #expect(hosts[0].send(Self.file) == "9000")
        #expect(hosts[1].send("00A4080006100010014001") == "9000")
        func link(_ last: Bool, _ value: String, _ offset: String) -> String {
            (last ? "00D6" : "10D6") + offset + "64" + String(repeating: value, count: 100)
        }
        #expect(hosts[0].send(link(false, "aa", "0000")) == "9000")
        #expect(hosts[1].send(link(false, "bb", "00C8")) == "9000")
        let channel = 0x0C | hosts[0].channel
        for junk in ["10D60000020000", "00D60000020000", "00", "00C0000000", "80860301"] { card.send(junk) }
        #expect(
            card.process([channel | 0x10, 0xD6, 0, 0, 10, 0x8E, 8] + [UInt8](repeating: 0, count: 9)).hex == "6988")
        #expect(hosts[0].send(link(true, "aa", "0000")) == "9000")
        #expect(hosts[1].send(link(true, "bb", "00C8")) == "9000")
        for host in hosts { #expect(host.send("00B000C601") == "aa9000" && host.send("00B0018F01") == "bb9000") }
    }

    @Test("N79: after a format in one session another that was logged in gets protected 6982, and its channel lives")
    func format() throws {
        let card = try TokenSetup(sessions: 2).card()
        let first = try card.connectedHost(.modern)
        let second = try card.connectedHost(.classic)
        #expect(second.send("0020000208" + PIN.user) == "9000")
        #expect(second.send("10D600000161") == "9000")
        #expect(first.send("0020000108" + PIN.administrator) == "9000")
        #expect(first.send("807A0000") == "9000")
        #expect(first.send("00E000001F 6F1D 80020000 82023800 83023F00 860F47020201000000FF00000000000000") == "9000")
        #expect(first.send("80844E19") == "9000")
        #expect(second.send(Self.file) == "6982")
        #expect(second.send("00D600000162") == "6a82", "the chain is gone too")
        #expect(second.send(Self.serial) == Self.serialReply)
        #expect(first.send("807A0000") == "6982", "and the administrator is logged in no more")
    }

    @Test("N55: UNPAIR of the own record ends all sessions of the record, and no other's")
    func unpairWithSiblings() throws {
        let card = try TokenSetup(sessions: 4).card()
        let other = try card.connectedHost(.classic)
        let host = try card.connectedHost(.modern)
        let sibling = try ChannelHost(card, .modern, scalar: host.scalar)
        sibling.tokenKey = host.tokenKey
        #expect(try sibling.open() == "9000")
        #expect(host.send("80E447FF") == "9000")
        #expect(host.send(Self.serial) == "bare 6985")
        #expect(sibling.send(Self.serial) == "bare 6985")
        #expect(try sibling.open() == "6a88")
        #expect(other.send(Self.serial) == Self.serialReply)
    }

    @Test("One host has a record for each profile; UNPAIR of one leaves the other")
    func bothProfiles() throws {
        let card = try TokenSetup(sessions: 4).card()
        let scalar = [UInt8](repeating: 7, count: 32)
        let hosts = try ChannelProfile.allCases.map { try ChannelHost(card, $0, scalar: scalar) }
        for (index, host) in hosts.enumerated() {
            #expect(try host.pair() == "9000" && host.open() == "9000")
            #expect(host.recordIndex == index + 1)
        }
        #expect(hosts[0].send("80E447FF") == "9000")
        #expect(hosts[1].send(Self.serial) == Self.serialReply)
        #expect(try hosts[0].open() == "6a88" && hosts[1].open() == "9000")
    }
}
