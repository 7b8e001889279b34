import APDU
import Secrets
import SecureChannel
import TestSupport
import Testing

@Suite("Whatever cannot be trusted ends the channel (GSC/1, 13.3 and 15)")
struct BrokenChannelTests {
    let host: Host
    let line = Line()

    init() throws { host = try Host() }

    /// Opens a channel and runs the first exchanges of the vectors, as many as asked for.
    private func channel(after count: Int = 0, of host: Host? = nil) throws -> SecureChannel {
        let host = host ?? self.host
        let channel = try host.open(over: line)
        for vector in host.classic.exchanges.list.prefix(count) {
            line.card = ScriptedCard([try host.text(vector.command): try host.text(vector.response)])
            _ = try channel.transmit(try host.text(vector.inner_command))
        }
        return channel
    }

    /// Expects that this reply to exchange `number` of the vectors breaks the channel.
    private func expectBroken(
        _ reply: String, at number: Int, of host: Host? = nil, _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let host = host ?? self.host
        let channel = try channel(after: number - 1, of: host)
        let vector = host.classic.exchanges[number - 1]
        line.card = ScriptedCard([try host.text(vector.command): reply])
        #expect(throws: LinkError.channelBroken, comment, sourceLocation: sourceLocation) {
            try channel.transmit(try host.text(vector.inner_command))
        }
        #expect(!channel.isOpen, comment, sourceLocation: sourceLocation)
        #expect(throws: LinkError.reset, comment, sourceLocation: sourceLocation) { try channel.transmit("00840000") }
    }

    @Test("All refused replies of the vectors break the channel, nothing is delivered (N39 to N42)")
    func vectors() throws {
        let errors = try JSON(vectors: "gsc1.json").errors.list.filter {
            $0.profile.text == "classic" && $0.direction.text == "response"
        }
        #expect(errors.count == 14)
        for vector in errors {
            let host = try Host(set: try #require(vector.set.text))
            #expect(vector.state.text == "host waits for the reply to n=3")
            try expectBroken(try host.text(vector.apdu), at: 3, of: host, "\(vector.id.text ?? "")")
        }
    }

    @Test("N37: every single-bit flip of a reply is refused", arguments: [1, 2])
    func bitFlips(_ number: Int) throws {
        let reply = host.classic.exchanges[number - 1].response.bytes
        for index in reply.indices {
            for bit in 0..<8 {
                var flipped = reply
                flipped[index] ^= 1 << UInt8(bit)
                try expectBroken(flipped.hex, at: number, "octet \(index), bit \(bit)")
            }
        }
    }

    @Test("N39: replies to earlier commands are refused", arguments: [1, 2])
    func oldReplies(_ number: Int) throws {
        try expectBroken(try host.text(host.classic.exchanges[number - 1].response), at: 3)
    }

    @Test("N40: an empty body with 9000 is a failure, not success")
    func emptyBody() throws {
        try expectBroken("9000", at: 2)
    }

    @Test(
        "N41: a bare status word is a failure, not the command's answer",
        arguments: [
            "6983", "6a82", "6985", "6987", "6988", "63c1", "6881",
        ])
    func bareStatus(_ status: String) throws {
        try expectBroken(status, at: 2)
    }

    @Test(
        "N42: DO 99 missing, DO 8E of another length, objects repeated or swapped, trailing octets",
        arguments: [
            "8e08 9c6b27c2edadeee5 9000", "990263c9 8e04 9c6b27c2 9000",
            "990263c9 8e10 9c6b27c2edadeee50000000000000000 9000",
            "990263c9 9000", "990263c9 990263c9 8e08 9c6b27c2edadeee5 9000", "8e08 9c6b27c2edadeee5 990263c9 9000",
            "990263c9 8e08 9c6b27c2edadeee5 00 9000", "99810263c9 8e08 9c6b27c2edadeee5 9000",
            "990163 8e08 9c6b27c2edadeee5 9000",
            "8700 990263c9 8e08 9c6b27c2edadeee5 9000", "870102 990263c9 8e08 9c6b27c2edadeee5 9000",
        ])
    func malformed(_ reply: String) throws {
        try expectBroken(reply.replacing(" ", with: ""), at: 2)
    }

    @Test(
        "N42: a padding indicator other than 01 and 02 is refused under a right tag",
        arguments: [0x00, 0x03, 0x81] as [UInt8])
    func indicator(_ indicator: UInt8) throws {
        let channel = try channel()
        let token = TokenSide(seed: host.classic.open.S_0)
        token.answer = { _ in .init(data: [UInt8](repeating: 0x80, count: 32), indicator: indicator) }
        line.card = token
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
        let channel = try channel()
        let token = TokenSide(seed: host.classic.open.S_0)
        token.answer = { _ in
            .init(data: runs.flatMap { [UInt8](repeating: $0.0, count: $0.1) }, indicator: 0x01)
        }
        line.card = token
        #expect(throws: LinkError.channelBroken) { try channel.transmit("0084000000") }
        #expect(!channel.isOpen)
    }

    @Test("A reply beyond 1024 octets of plaintext is refused, so that the key is never meshed")
    func tooLong() throws {
        let channel = try channel()
        let token = TokenSide(seed: host.classic.open.S_0)
        line.card = token
        token.answer = { _ in .init(data: [UInt8](repeating: 1, count: 1024)) }
        #expect(try channel.transmit("00b00000000400").data.count == 1024)
        token.answer = { _ in .init(data: [UInt8](repeating: 1, count: 1025)) }
        #expect(throws: LinkError.channelBroken) { try channel.transmit("00b00000000401") }
    }

    @Test(
        "A reply in pieces (61xx) is fetched in plain on the command's channel and verified as a whole",
        arguments: ["A", "B"])
    func outerPieces(_ set: String) throws {
        let host = try Host(set: set)
        let channel = try channel(of: host)
        let vector = host.classic.exchanges[0]
        let reply = vector.response.bytes
        let getResponse = set == "A" ? "00c00000" : "02c00000"
        line.card = ScriptedCard([
            try host.text(vector.command): Array(reply.prefix(5)).hex + "6105",
            getResponse + "05": Array(reply[5..<10]).hex + "6100",
            getResponse + "00": Array(reply.dropFirst(10)).hex,
        ])
        #expect(try channel.transmit(try host.text(vector.inner_command)).data == vector.inner_response_data.bytes)
        #expect(channel.isOpen)
    }

    @Test("N48: pieces that end early are refused", arguments: ["9000", "6985", "6a82"])
    func cutShort(_ end: String) throws {
        let channel = try channel()
        let vector = host.classic.exchanges[0]
        line.card = ScriptedCard([
            try host.text(vector.command): Array(vector.response.bytes.prefix(20)).hex + "6109", "00c0000009": end,
        ])
        #expect(throws: LinkError.channelBroken) { try channel.transmit(try host.text(vector.inner_command)) }
        #expect(!channel.isOpen)
    }

    @Test("Pieces without an end are refused")
    func endless() throws {
        let channel = try channel()
        let card = ScriptedCard()
        for _ in 0...64 { card.answer("006101") }
        line.card = card
        #expect(throws: LinkError.channelBroken) { try channel.transmit("0084000008") }
        #expect(card.isFinished)
    }

    @Test(
        "A failure of the link ends the channel, and its outcome is passed on",
        arguments: [
            LinkError.removed(sent: true), .removed(sent: false), .reset, .transmission(code: 5), .sharingViolation,
        ])
    func link(_ error: LinkError) throws {
        let channel = try channel()
        let card = ScriptedCard()
        card.expect(try host.text(host.classic.exchanges[0].command), error: error)
        line.card = card
        #expect(throws: error) { try channel.transmit("0084000008") }
        #expect(!channel.isOpen)
        #expect(throws: LinkError.reset) { try channel.transmit("0084000008") }
    }
}
