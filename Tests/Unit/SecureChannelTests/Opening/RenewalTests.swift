// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Locking
import SecureChannel
import Secrets
import Storage
import TestSupport
import Testing

@Suite("Renewal of a session (GSC/1, 10 and 12)")
struct RenewalTests {
    @Test(
        "N50: renewal is that of the vectors, byte by byte, and the next command is n = 1 under the new keys",
        arguments: Profile.allCases)
    func vectors(_ profile: Profile) throws {
        let open = try OpenChannel(profile, set: "B")
        let (host, channel, renew) = (open.host, open.channel, open.host.vectors.renew)
        for _ in 1...257 { _ = try channel.transmit("00840000") }
        let card = ScriptedCard()
        for vector in renew.exchanges_under_old_keys.list + renew.exchanges.list {
            card.expect(try host.text(vector.command), reply: try host.text(vector.response))
        }
        open.line.card = card
        let drawn = profile == .classic ? renew.C_H.bytes : renew.e_H.bytes
        try channel.renew(store: host.store, random: FixedRandom(drawn))
        #expect(channel.isOpen && card.received.count == 2, "two round trips")
        let vector = renew.exchanges[0]
        #expect(try channel.transmit("0084000008").data == vector.inner_response_data.bytes)
        channel.close()
        #expect(card.isFinished && !channel.isOpen)
    }

    @Test("A session is to be renewed after 60 minutes, suspend included, and then not again for as long")
    func age() throws {
        let host = try Host(profile: .modern)
        let clock = Lock(Duration.zero)
        let token = host.token()
        let channel = try host.openSession(over: token, uptime: Uptime { clock.withLock { $0 } })
        clock.withLock { $0 = .seconds(3599) }
        #expect(!channel.needsRenewal)
        clock.withLock { $0 = .seconds(3600) }
        #expect(channel.needsRenewal && channel.isOpen)
        try channel.renew(store: host.store, random: SystemRandom())
        #expect(!channel.needsRenewal)
        #expect(try channel.transmit("00840000").status == .success)
        #expect(token.refusals == 0)
    }

    @Test("Renewals follow each other, each bound to the session before it", arguments: Profile.allCases, ["A", "B"])
    func chain(_ profile: Profile, _ set: String) throws {
        let host = try Host(set: set, profile: profile)
        let token = host.token()
        let channel = try host.openSession(over: token)
        for _ in 0..<3 {
            try channel.renew(store: host.store, random: SystemRandom())
            #expect(try channel.transmit("00840000").status == .success)
        }
        #expect(token.refusals == 0 && token.count == 2 + 3 * 3)
    }

    @Test(
        "N62: a renewal that is refused under protection leaves the session as it was",
        arguments: [[0x69, 0x85], [0x63, 0x00]] as [[UInt8]])
    func refused(_ status: [UInt8]) throws {
        let open = try OpenChannel(.modern)
        open.token.answer = { $0.header[1] == 0x86 ? .init(status: status) : .init() }
        #expect(throws: ChannelError.refused(StatusWord(status[0], status[1]))) {
            try open.channel.renew(store: open.host.store, random: SystemRandom())
        }
        #expect(open.channel.isOpen)
        #expect(try open.channel.transmit("00840000").status == .success)
        #expect(open.token.refusals == 0)
    }

    @Test("A renewal whose MAC_T is wrong ends the session")
    func wrongCode() throws {
        let open = try OpenChannel(.modern)
        let key = open.host.vectors.H_pub.bytes
        open.token.answer = { _ in
            .init(data: .object(0x7C, .object(0x82, key) + .object(0x85, [UInt8](repeating: 7, count: 16))))
        }
        #expect(throws: ChannelError.authenticationFailed) {
            try open.channel.renew(store: open.host.store, random: SystemRandom())
        }
        #expect(!open.channel.isOpen)
    }

    @Test("A renewal that changes the channel ends the session")
    func otherChannel() throws {
        // The session of the vectors is on channel 2, and the token answers 0.
        let host = try Host(set: "B", profile: .modern)
        let token = host.token()
        let channel = try host.openSession(over: token)
        var isSecond = false
        token.onTheWay = { reply in
            guard isSecond else { return reply }
            return token.protect(.init(data: [0x7C, 0x03, 0x88, 0x01, 0x01]))
        }
        let line = Line()
        line.card = token
        line.before = { header in isSecond = header[2] == 0x04 }
        let over = try host.openSession(over: line)
        #expect(throws: ChannelError.malformedResponse) { try over.renew(store: host.store, random: SystemRandom()) }
        #expect(!over.isOpen && channel.isOpen)
    }

    @Test("N65: a closed channel sends nothing, and its keys are not used again")
    func closed() throws {
        let open = try OpenChannel(.modern)
        open.channel.discard()
        #expect(throws: ChannelError.link(.reset)) {
            try open.channel.renew(store: open.host.store, random: SystemRandom())
        }
        #expect(open.token.count == 0)
    }

    @Test("N65: a process opens again with the same INST, which makes the token forget its older session")
    func instance() throws {
        let host = try Host(set: "B", profile: .modern)
        let token = host.token()
        var commands: [String] = []
        let line = Line()
        line.card = token
        line.seen = { commands.append($0.hex) }
        _ = try host.openSession(over: line)
        _ = try host.openSession(over: line)
        let instance = "8308" + host.vectors.open.INST.bytes.hex
        #expect(commands.count == 4)
        #expect(commands[0].hasSuffix(instance) && commands[2].hasSuffix(instance))
        #expect(commands[0] != commands[2], "the contribution is fresh")
    }
}
