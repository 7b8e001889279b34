// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Secrets
import SecureChannel
import TestSupport
import Testing

@Suite("Whatever cannot be trusted ends the channel (GSC/1, 13.3 and 15)")
struct BrokenChannelTests {
    /// Opens a channel and runs the first exchanges of the vectors, as many as asked for.
    private func open(_ profile: Profile, set: String = "A", after count: Int = 0) throws -> OpenChannel {
        let open = try OpenChannel(profile, set: set)
        for vector in open.host.vectors.exchanges.list.prefix(count) {
            open.line.card = ScriptedCard([try open.host.text(vector.command): try open.host.text(vector.response)])
            _ = try open.channel.transmit(try open.host.text(vector.inner_command))
        }
        return open
    }

    /// Expects that this reply to exchange `number` of the vectors breaks the channel.
    private func expectBroken(
        _ reply: String, at number: Int, _ profile: Profile, set: String = "A", _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let open = try open(profile, set: set, after: number - 1)
        let vector = open.host.vectors.exchanges[number - 1]
        open.line.card = ScriptedCard([try open.host.text(vector.command): reply])
        #expect(throws: LinkError.channelBroken, comment, sourceLocation: sourceLocation) {
            try open.channel.transmit(try open.host.text(vector.inner_command))
        }
        #expect(!open.channel.isOpen, comment, sourceLocation: sourceLocation)
        #expect(throws: LinkError.reset, comment, sourceLocation: sourceLocation) {
            try open.channel.transmit("00840000")
        }
    }

    /// A reply of the vectors.
    private func reply(_ number: Int, _ profile: Profile) throws -> [UInt8] {
        try Host(profile: profile).vectors.exchanges[number - 1].response.bytes
    }

    @Test(
        "N39, N40, N41, N42: all refused replies of the vectors break the channel, nothing is delivered",
        arguments: Profile.allCases)
    func vectors(_ profile: Profile) throws {
        let errors = try JSON(vectors: "gsc1.json").errors.list.filter {
            $0.profile.text == "\(profile)" && $0.direction.text == "response"
        }
        #expect(errors.count == 14)
        for vector in errors {
            let set = try #require(vector.set.text)
            #expect(vector.state.text == "host waits for the reply to n=3")
            try expectBroken(try #require(vector.apdu.text), at: 3, profile, set: set, "\(vector.id.text ?? "")")
        }
    }

    @Test(
        "N37, N38: all refused commands of the vectors are answered with a bare status word, which breaks the channel",
        arguments: Profile.allCases)
    func refusedCommands(_ profile: Profile) throws {
        let errors = try JSON(vectors: "gsc1.json").errors.list.filter {
            $0.profile.text == "\(profile)" && $0.direction.text == "command"
        }
        #expect(errors.count == 18)
        for vector in errors {
            let status = String(try #require(vector.expect.text).prefix(4))
            try expectBroken(status, at: 3, profile, set: try #require(vector.set.text), "\(vector.id.text ?? "")")
        }
    }

    @Test("N37: every single-bit flip of a reply is refused", arguments: Profile.allCases, [1, 2])
    func bitFlips(_ profile: Profile, _ number: Int) throws {
        let reply = try reply(number, profile)
        for index in reply.indices {
            for bit in 0..<8 {
                var flipped = reply
                flipped[index] ^= 1 << UInt8(bit)
                try expectBroken(flipped.hex, at: number, profile, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("N39: replies to earlier commands are refused", arguments: Profile.allCases, [1, 2])
    func oldReplies(_ profile: Profile, _ number: Int) throws {
        try expectBroken(try reply(number, profile).hex, at: 3, profile)
    }

    @Test("N40: an empty body with 9000 is a failure, not success", arguments: Profile.allCases)
    func emptyBody(_ profile: Profile) throws {
        try expectBroken("9000", at: 2, profile)
    }

    @Test(
        "N41: a bare status word is a failure, not the command's answer",
        arguments: Profile.allCases, ["6983", "6a82", "6985", "6987", "6988", "63c1", "6881"])
    func bareStatus(_ profile: Profile, _ status: String) throws {
        try expectBroken(status, at: 2, profile)
    }

    @Test(
        "N42: DO 99 missing, DO 8E of another length, objects repeated or swapped, trailing bytes",
        arguments: Profile.allCases,
        [
            "T8", "S T4", "S T16", "S", "S S T8", "T8 S", "S T8 00", "S97 T8", "99810263c9 T8", "990163 T8",
            "8700 S T8", "870102 S T8", "S 870302aabb T8",
        ])
    func malformed(_ profile: Profile, _ form: String) throws {
        let tag = try reply(2, profile).dropLast(2).suffix(8)
        let parts = [
            "S": "990263c9", "S97": "990263c9970108", "T8": "8e08" + Array(tag).hex,
            "T4": "8e04" + Array(tag.prefix(4)).hex,
            "T16": "8e10" + Array(tag).hex + "0000000000000000",
        ]
        let body = form.split(separator: " ").map { parts[String($0)] ?? String($0) }.joined()
        try expectBroken(body + "9000", at: 2, profile)
    }

    @Test("N42: the form that is right is accepted, so that the others fail by their form", arguments: Profile.allCases)
    func wellFormed(_ profile: Profile) throws {
        let open = try open(profile, after: 2)
        #expect(open.channel.isOpen)
    }

    @Test(
        "N42: a padding indicator other than 01 and 02 is refused under a right tag",
        arguments: [0x00, 0x03, 0x81] as [UInt8])
    func indicator(_ indicator: UInt8) throws {
        let open = try OpenChannel(.modern)
        let (channel, token) = (open.channel, open.token)
        token.answer = { _ in .init(data: [UInt8](repeating: 0x80, count: 32), indicator: indicator) }
        #expect(throws: LinkError.channelBroken) { try channel.transmit("0084000000") }
        #expect(!channel.isOpen)
    }

    @Test(
        "A wrong padding under a right tag ends the channel (13.2)",
        arguments: [
            [(7, 20), (0, 12)], [(7, 20), (0x80, 1), (0, 10)], [(0x80, 1), (0, 31)], [(7, 1), (0x80, 1), (0, 62)],
            [(0, 32)], [(7, 20), (0x80, 1), (0, 10), (1, 1)],
        ] as [[(UInt8, Int)]])
    func padding(_ runs: [(UInt8, Int)]) throws {
        let open = try OpenChannel(.modern)
        let (channel, token) = (open.channel, open.token)
        token.answer = { _ in
            .init(data: runs.flatMap { [UInt8](repeating: $0.0, count: $0.1) }, indicator: 0x01)
        }
        #expect(throws: LinkError.channelBroken) { try channel.transmit("0084000000") }
        #expect(!channel.isOpen)
    }

    @Test("A reply beyond 1024 bytes of plaintext is refused, so that the key is never meshed")
    func tooLong() throws {
        let open = try OpenChannel(.classic)
        let (channel, token) = (open.channel, open.token)
        token.answer = { _ in .init(data: [UInt8](repeating: 1, count: 1024)) }
        #expect(try channel.transmit("00b00000000400").data.count == 1024)
        token.answer = { _ in .init(data: [UInt8](repeating: 1, count: 1025)) }
        #expect(throws: LinkError.channelBroken) { try channel.transmit("00b00000000401") }
    }

    @Test(
        "A reply in pieces (61xx) is fetched in plain on the command's channel and verified as a whole",
        arguments: ["A", "B"])
    func outerPieces(_ set: String) throws {
        let open = try OpenChannel(.modern, set: set)
        let (channel, host) = (open.channel, open.host)
        let vector = host.vectors.exchanges[0]
        let reply = vector.response.bytes
        let getResponse = set == "A" ? "00c00000" : "02c00000"
        open.line.card = ScriptedCard([
            try host.text(vector.command): Array(reply.prefix(5)).hex + "6105",
            getResponse + "05": Array(reply[5..<10]).hex + "6100",
            getResponse + "00": Array(reply.dropFirst(10)).hex,
        ])
        #expect(try channel.transmit(try host.text(vector.inner_command)).data == vector.inner_response_data.bytes)
        #expect(channel.isOpen)
    }

    @Test("N48, N69: pieces that end early are refused", arguments: ["9000", "6985", "6a82"])
    func cutShort(_ end: String) throws {
        let open = try OpenChannel(.modern)
        let (channel, host) = (open.channel, open.host)
        let vector = host.vectors.exchanges[0]
        open.line.card = ScriptedCard([
            try host.text(vector.command): Array(vector.response.bytes.prefix(20)).hex + "6109", "00c0000009": end,
        ])
        #expect(throws: LinkError.channelBroken) { try channel.transmit(try host.text(vector.inner_command)) }
        #expect(!channel.isOpen)
    }

    @Test("Pieces without an end are refused")
    func endless() throws {
        let open = try OpenChannel(.modern)
        let channel = open.channel
        let card = ScriptedCard()
        for _ in 0...301 { card.answer("006101") }
        open.line.card = card
        #expect(throws: LinkError.channelBroken) { try channel.transmit("0084000008") }
        #expect(card.received.count == 302)
    }

    @Test(
        "N53: a failure of the link ends the channel, and its outcome is passed on; nothing is sent again",
        arguments: [
            LinkError.removed(sent: true), .removed(sent: false), .reset, .transmission(code: 5), .sharingViolation,
        ])
    func link(_ error: LinkError) throws {
        let open = try OpenChannel(.modern)
        let (channel, host) = (open.channel, open.host)
        let card = ScriptedCard()
        card.expect(try host.text(host.vectors.exchanges[0].command), error: error)
        open.line.card = card
        #expect(throws: error) { try channel.transmit("0084000008") }
        #expect(!channel.isOpen)
        #expect(throws: LinkError.reset) { try channel.transmit("0084000008") }
    }
}
