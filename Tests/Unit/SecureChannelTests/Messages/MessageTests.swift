// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Locking
import Secrets
import SecureChannel
import TestSupport
import Testing

@Suite("Protected messages (GSC/1, 11, 13, 14)")
struct MessageTests {
    /// A channel and the other end of it.
    private func opened(_ profile: Profile = .modern) throws -> (SecureChannel, TokenSide) {
        let open = try OpenChannel(profile)
        return (open.channel, open.token)
    }

    /// Checks one command of the vectors. If its reply is 61xx, the next exchange fetches the rest (11.4).
    private func check(_ vectors: ArraySlice<JSON>, _ open: OpenChannel) throws {
        let command = try #require(vectors.first)
        let card = ScriptedCard()
        var data: [UInt8] = []
        var status: [UInt8] = [0x61]
        for vector in vectors where status[0] == 0x61 {
            card.expect(try open.host.text(vector.command), reply: try open.host.text(vector.response))
            data += vector.inner_response_data.bytes
            status = vector.inner_sw.bytes
        }
        open.line.card = card
        let header = command.inner_header.bytes
        let response = try open.channel.transmit(
            Command(
                header[0], header[1], header[2], header[3], bytes: command.inner_data.bytes, ne: command.inner_ne.number
            ))
        #expect(response == Response(StatusWord(status[0], status[1]), data: data), "\(command.id.text ?? "")")
        #expect(card.isFinished)
    }

    @Test(
        "N49: all exchanges are those of the vectors, byte by byte, across the change of keys at n = 257",
        arguments: Profile.allCases, ["A", "B"])
    func vectors(_ profile: Profile, _ set: String) throws {
        let open = try OpenChannel(profile, set: set)
        var number = 0
        let exchanges = open.host.vectors.exchanges.list.filter { !$0.n.isNull }
        for (index, vector) in exchanges.enumerated() {
            let next = try #require(vector.n.number)
            let isRest = index > 0 && exchanges[index - 1].inner_sw.bytes[0] == 0x61
            if isRest {
                number = next
                continue
            }
            if next > number + 1 {
                let filler = open.host.tokenSide(after: number)
                open.line.card = filler
                for _ in number + 1..<next { #expect(try open.channel.transmit("00840000").status == .success) }
                #expect(filler.received.count == next - number - 1)
            }
            try check(exchanges[index...], open)
            number = next
        }
        #expect(number == 257 && open.channel.isOpen)
    }

    @Test("N49: n = 256 and 257 use the keys of epoch 0 and 1, in both directions", arguments: Profile.allCases)
    func epochs(_ profile: Profile) throws {
        let open = try OpenChannel(profile)
        open.token.answer = { _ in .init(data: [1, 2, 3]) }
        for _ in 1...300 { #expect(try open.channel.transmit("0084000003").data == [1, 2, 3]) }
        #expect(open.token.received.count == 300)
    }

    @Test("N49: n = 65 536 works, 65 537 is not sent; from n = 61 440 on the session should be renewed")
    func exhaustion() throws {
        let open = try OpenChannel(.modern)
        open.token.keepsCommands = false
        for number in 1...65_536 {
            _ = try open.channel.transmit("00840000")
            if number == 61_439 { #expect(!open.channel.needsRenewal) }
            if number == 61_440 { #expect(open.channel.needsRenewal && open.channel.isOpen) }
        }
        #expect(!open.channel.isOpen)
        #expect(throws: ChannelError.link(.reset)) {
            try open.channel.renew(store: open.host.store, random: SystemRandom())
        }
        #expect(throws: LinkError.reset) { try open.channel.transmit("00840000") }
        #expect(open.token.count == 65_536 && open.token.refusals == 0)
    }

    @Test("N33: a channel is provisional until the first verified reply", arguments: Profile.allCases)
    func provisional(_ profile: Profile) throws {
        let open = try OpenChannel(profile)
        #expect(open.channel.isProvisional)
        _ = try open.channel.transmit("00a4000c023f00")
        #expect(!open.channel.isProvisional)
    }

    @Test("N33: after a forged reply to OPEN-2 the first command fails", arguments: Profile.allCases)
    func forgedOpening(_ profile: Profile) throws {
        let open = try OpenChannel(profile, set: "B")
        open.line.card = ScriptedCard()
        (open.line.card as? ScriptedCard)?.answer("6985")
        #expect(throws: LinkError.channelBroken) { try open.channel.transmit("00a4000c023f00") }
        #expect(open.channel.isProvisional && !open.channel.isOpen)
    }

    @Test("N43: the status word under the tag is the command's", arguments: Profile.allCases)
    func status(_ profile: Profile) throws {
        let open = try OpenChannel(profile)
        open.token.answer = { _ in .init(status: [0x63, 0xC9]) }
        #expect(try open.channel.transmit("002000020831323334353637 38").status.triesLeft == 9)
        #expect(open.channel.isOpen)
    }

    @Test("Every inner CLA of 00, 10, 80, 90 travels with its SM bits, any other is not sent")
    func classes() throws {
        let (channel, token) = try opened()
        for cla in ["00", "10", "80", "90"] { _ = try channel.transmit("\(cla)840000") }
        #expect(token.received.map(\.header[0]) == [0x00, 0x10, 0x80, 0x90])
        for cla in ["01", "04", "0c", "20", "40", "84", "ff"] {
            #expect(throws: LinkError.malformed) { try channel.transmit("\(cla)840000") }
        }
        #expect(token.received.count == 4 && channel.isOpen)
    }

    @Test(
        "Le travels as one byte up to 256, as two above",
        arguments: [
            ("0084000000", "00"), ("0084000001", "01"), ("00840000ff", "ff"), ("00840000000101", "0101"),
            ("00840000000000", "0000"),
        ])
    func expectedLength(_ command: String, _ le: String) throws {
        let (channel, token) = try opened()
        _ = try channel.transmit(command)
        #expect(token.received.last?.le?.hex == le)
    }

    @Test(
        "N51: commands with PINs of 1 to 31 bytes have equal lengths",
        arguments: [
            "00200002", "00240102", "002c0002", "00da0161",
        ])
    func padding(_ header: String) throws {
        let (channel, token) = try opened()
        for count in 1...31 {
            let pin = [UInt8](repeating: 0x31, count: count)
            _ = try channel.transmit(header + [UInt8(count)].hex + pin.hex)
            let received = try #require(token.received.last)
            #expect(received.indicator == 0x01)
            let zeros = [UInt8](repeating: 0, count: 31 - count)
            #expect(received.data == pin + [0x80] + zeros)
        }
        #expect(Set(token.received.map(\.length)).count == 1)
    }

    @Test(
        "Commands without a PIN are not padded; VERIFY without data has no DO 87",
        arguments: [
            ("00d6000003010203", 0x02), ("00da0162 0101", 0x02), ("00200002", nil), ("002c0302", nil),
        ] as [(String, UInt8?)])
    func noPadding(_ command: String, _ indicator: UInt8?) throws {
        let (channel, token) = try opened()
        _ = try channel.transmit(command)
        #expect(token.received.last?.indicator == indicator)
    }

    @Test("A padded reply is accepted", arguments: [1, 20, 31, 32, 200])
    func paddedReplies(_ count: Int) throws {
        let (channel, token) = try opened()
        let data = [UInt8](repeating: 7, count: count)
        let zeros = [UInt8](repeating: 0, count: 31 - count % 32)
        token.answer = { _ in .init(data: data + [0x80] + zeros, indicator: 0x01) }
        #expect(try channel.transmit("0084000000").data == data)
    }

    @Test("N47: in short APDUs 238 bytes go in one message of 255, 239 in a chain; classic takes no 1025")
    func sizes() throws {
        let (channel, token) = try opened(.classic)
        func update(_ count: Int) throws -> Response {
            try channel.transmit(Command(0x00, 0xD6, 0, 0, bytes: [UInt8](repeating: 5, count: count), ne: 256))
        }
        _ = try update(238)
        #expect(token.received.map(\.length) == [4 + 1 + 255 + 1])
        _ = try update(239)
        let chain = token.received.dropFirst()
        #expect(chain.map(\.header) == [[0x10, 0xD6, 0, 0], [0x00, 0xD6, 0, 0]])
        #expect(chain.map(\.data.count) == [238, 1])
        #expect(chain.map(\.le) == [nil, [0x00]])
        _ = try update(1024)
        #expect(token.received.dropFirst(3).map(\.data.count) == [238, 238, 238, 238, 72])
        #expect(throws: LinkError.malformed) { try update(1025) }
        #expect(token.received.count == 8 && channel.isOpen)
    }

    @Test("A long command with a PIN is padded in every link; a long batch without one in none (13.2)")
    func longSecrets() throws {
        let (channel, token) = try opened()
        func change(_ count: Int) throws -> [TokenSide.Received] {
            let before = token.received.count
            let data = [UInt8](repeating: 0x31, count: count)
            _ = try channel.transmit(Command(0x00, 0x24, 0x01, 0x02, bytes: data))
            return Array(token.received[before...])
        }
        #expect(try change(223).map(\.data.count) == [224])
        let chain = try change(240)
        #expect(chain.map(\.data.count) == [224, 32])
        #expect(chain.allSatisfy { $0.indicator == 0x01 })
        let command = [UInt8].object(0xB0, [0x00, 0xD6, 0x00, 0x00, 90] + [UInt8](repeating: 1, count: 90))
        _ = try channel.transmit(Command(0x80, 0x86, 0x20, 0, bytes: command + command + command))
        #expect(token.received.suffix(2).map(\.data.count) == [238, 53])
        #expect(token.received.suffix(2).allSatisfy { $0.indicator == 0x02 })
    }

    @Test("A chain stops at the first link that is refused, and its status word is the command's (11.3)")
    func refusedLink() throws {
        let (channel, token) = try opened()
        token.answer = { _ in .init(status: [0x6A, 0x84]) }
        let response = try channel.transmit(Command(0x00, 0xD6, 0, 0, bytes: [UInt8](repeating: 5, count: 500)))
        #expect(response.status == .notEnoughMemory)
        #expect(token.received.count == 1 && channel.isOpen)
    }

    @Test("N68: of a chain that the token has dropped no further link is sent, and the command is refused")
    func droppedChain() throws {
        let (channel, token) = try opened()
        token.answer = { command in .init(status: command.data[0] == 2 ? [0x69, 0x85] : [0x90, 0x00]) }
        let data = [UInt8](repeating: 1, count: 238) + [UInt8](repeating: 2, count: 238) + [3]
        let response = try channel.transmit(Command(0x00, 0xD6, 0, 0, bytes: data))
        #expect(response.status == .conditionsNotSatisfied)
        #expect(token.received.count == 2 && channel.isOpen)
    }

    @Test("A reply to a link of a chain carries no data (11.3)")
    func dataInLink() throws {
        let (channel, token) = try opened()
        token.answer = { _ in .init(data: [1]) }
        #expect(throws: LinkError.channelBroken) {
            try channel.transmit(Command(0x00, 0xD6, 0, 0, bytes: [UInt8](repeating: 5, count: 500)))
        }
        #expect(!channel.isOpen)
    }

    @Test("What the token holds back (61xx under the tag) is fetched protected, up to the command's Ne (11.4)")
    func innerRest() throws {
        let (channel, token) = try opened()
        let data = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        var sent = 0
        token.answer = { command in
            let count = min(238, command.le?.first.map { $0 == 0 ? 256 : Int($0) } ?? 0, data.count - sent)
            defer { sent += count }
            let left = data.count - sent - count
            return .init(data: Array(data[sent..<sent + count]), status: left > 0 ? [0x61, UInt8(left)] : [0x90, 0])
        }
        let response = try channel.transmit("00b0000000")
        #expect(response.data == Array(data.prefix(256)))
        #expect(response.status == StatusWord(0x612C))
        #expect(token.received.map(\.header) == [[0x00, 0xB0, 0, 0], [0x00, 0xC0, 0, 0]])
        #expect(token.received.last?.le == [18])
    }

    @Test("N52: CLOSE is sent under protection, and the channel takes nothing more")
    func close() throws {
        let (channel, token) = try opened()
        channel.close()
        #expect(token.received.map(\.header) == [[0x80, 0x86, 0x0F, 0x00]])
        #expect(!channel.isOpen)
        #expect(throws: LinkError.reset) { try channel.transmit("00840000") }
        channel.close()
        #expect(token.received.count == 1)
    }

    @Test("A discarded channel says nothing to the token")
    func discard() throws {
        let (channel, token) = try opened()
        channel.discard()
        #expect(!channel.isOpen)
        #expect(throws: LinkError.reset) { try channel.transmit("00840000") }
        #expect(token.received.isEmpty)
    }
}
