// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("Long messages, token's side (GSC/1, 11.3, 11.4, 13.3 and 19)")
struct SizeTests {
    private static func card(_ maximum: Int, sessions: Int = 4) throws -> EmulatedCard {
        var setup = TokenSetup(sessions: sessions)
        setup.identity.channel?.maximumCommand = maximum
        setup.identity.channel?.maximumReply = maximum
        return try setup.card()
    }

    /// PSO: HASH of `count` bytes, with room for its answer.
    private static func hash(_ host: ChannelHost, _ count: Int) -> String {
        let message = host.protect(
            header: [0x0C | host.channel, 0x2A, 0x90, 0x80], data: [UInt8](repeating: 0x61, count: count),
            expected: [0x20], padding: 2)
        let reply = host.card.process(message)
        return host.open(reply) ?? "bare " + reply.hex
    }

    @Test(
        "N47: an extended APDU carries what E1.83 says, in classic at most 1024 bytes; one more answers protected 6700",
        arguments: [(ChannelProfile.classic, 1024), (.modern, 4096)])
    func extended(profile: ChannelProfile, limit: Int) throws {
        let host = try Self.card(4096).connectedHost(profile)
        for count in [238, 239, 240, 255, 256, 1023, 1024, limit] {
            #expect(Self.hash(host, count).hasSuffix("9000"), "\(count)")
        }
        for count in [limit + 1, limit + 300] { #expect(Self.hash(host, count) == "6700", "\(count)") }
        #expect(Self.hash(host, limit).hasSuffix("9000"), "the refused ones counted")
    }

    @Test(
        "N47: without E1.83 above 238 the token takes no extended APDU, in plain or inside",
        arguments: ChannelProfile.allCases)
    func shortOnly(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 4).card()
        let host = try card.connectedHost(profile)
        #expect(card.send("80CA4700000000") == "6700")
        #expect(Self.hash(host, 300) == "bare 6700")
        host.takeBack()
        #expect(Self.hash(host, 238).hasSuffix("9000"), "the session waited for it")
        #expect(host.send("10D60000EE" + String(repeating: "61", count: 238)) == "9000", "239 come in two links")
        #expect(host.send("00D600000161") == "6a82")
    }

    @Test(
        "An extended Le brings a long reply in one piece, a short one in pieces, an inner Le cuts inside",
        arguments: [(ChannelProfile.classic, 1024), (.modern, 2048)])
    func replies(profile: ChannelProfile, limit: Int) throws {
        let card = try Self.card(2048)
        let host = try card.connectedHost(profile)
        #expect(host.send("0020000208" + PIN.user) == "9000")
        #expect(host.send("00A408000410001001") == "9000")
        #expect(host.send("00E000001F 6F1D 80020BB8 82020100 83024001 860F43000200000000020000000000 0000") == "9000")
        func read(_ ne: [UInt8], extended: Bool) -> [UInt8] {
            var command = host.protect(
                header: [0x0C | host.channel, 0xB0, 0, 0], data: [], expected: ne, padding: 2)
            if extended { command = Array(command[..<4]) + [0, 0, command[4]] + command[5...].dropLast() + [0, 0] }
            return card.process(command)
        }
        #expect(host.open(read([1, 0x2C], extended: true)).map { $0.count } == 604)
        let cut = host.open(read([0x10, 0x00], extended: true))
        #expect(cut.map { $0.count } == 2 * limit + 4, "the file's 3000 bytes do not fit")
        #expect(cut?.suffix(4) == "6100")
        let body = read([1, 0x2C], extended: false)
        #expect(body.count == 258 && body[256] == 0x61)
        let rest = card.process([host.channel, 0xC0, 0, 0, body[257]])
        #expect(host.open(body.dropLast(2) + rest).map { $0.count } == 604)
    }

    @Test("A warning at the end of a file survives GET RESPONSE, inside and outside")
    func warnings() throws {
        var setup = TokenSetup(sessions: 4)
        setup.identity.channel?.maximumReply = 128
        let host = try setup.card().connectedHost(.modern)
        #expect(host.send("0020000208" + PIN.user) == "9000")
        #expect(host.send("00A408000410001001") == "9000")
        #expect(host.send("00E000001F 6F1D 80020090 82020100 83024001 860F43000200000000020000000000 0000") == "9000")
        #expect(status(host.send("00B00000C8")) == "6110", "144 bytes, 128 of them at once")
        #expect(host.send("00C0000010") == String(repeating: "00", count: 16) + "6282")
    }

    @Test(
        "N48, N69: the rest of a reply is fetched on the command's channel, at once and once",
        arguments: ChannelProfile.allCases)
    func getResponse(profile: ChannelProfile) throws {
        let card = try Self.card(1024)
        let other = try card.connectedHost(profile)
        let host = try card.connectedHost(profile)
        func request() -> [UInt8] { card.process(host.protect("0084000000")) }
        var body = request()
        #expect(body[body.count - 2] == 0x61 && body.count == 258)
        body = body.dropLast(2) + card.process([host.channel, 0xC0, 0, 0, 10])
        #expect(body[body.count - 2] == 0x61, "in as many pieces as the reader likes")
        body = body.dropLast(2) + card.process([host.channel, 0xC0, 0, 0, 0])
        #expect(host.open(body).map { $0.count } == 516)
        for (index, junk) in [[0, 0xC0, 0, 0, 0], [3, 0xC0, 0, 0, 0], [0, 0x84, 0, 0, 8], [0]].enumerated() {
            #expect(request()[256] == 0x61)
            let answer = card.process(junk.map { UInt8($0) }).hex
            if index < 2 { #expect(answer == "6985") }
            #expect(card.process([host.channel, 0xC0, 0, 0, 0]).hex == "6985", "the buffer is gone")
        }
        #expect(request()[256] == 0x61)
        #expect(other.send("00CA018108").hasSuffix("9000"))
        #expect(card.process([host.channel, 0xC0, 0, 0, 0]).hex == "6985")
        #expect(request()[256] == 0x61)
        #expect(card.process([host.channel, 0xC0, 0, 1, 0]).hex == "6985", "P2 is 00")
        #expect(card.process([host.channel, 0xC0, 0, 0, 0]).hex == "6985")
        #expect(host.send("00CA018108").hasSuffix("9000"), "nothing of this was counted in n")
    }

    @Test(
        "The rest inside belongs to the session: other sessions neither get it nor drop it",
        arguments: ChannelProfile.allCases)
    func innerRest(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 4).card()
        let hosts = try (0..<2).map { _ in try card.connectedHost(profile) }
        #expect(hosts[0].send("0084000000").hasSuffix("6112"))
        #expect(hosts[1].send("00C0000000") == "6985")
        #expect(hosts[1].send("0084000000").hasSuffix("6112"))
        card.send("00C0000000")
        for host in hosts { #expect(data(host.send("00C0000012")).count == 36) }
    }

    @Test("N51: the reply to 80 86 11 and padded commands have lengths that tell nothing of what they hold")
    func paddedLengths() throws {
        let host = try TokenSetup(sessions: 4).card().connectedHost(.modern)
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        var lengths: Set<Int> = []
        for charset in ["00", "01", "00"] {
            lengths.insert(host.card.process(host.protect("8086110203 8001\(charset) 00")).count)
        }
        #expect(lengths == [2 + 33 + 4 + 10 + 2])
    }
}
