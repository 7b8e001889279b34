// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import SecureChannel
import Secrets
import TestSupport
import Testing

@Suite("Batches (GSC/1, 13.4)")
struct BatchTests {
    private func batch(_ commands: [String], goesOn: Bool) throws -> Batch {
        var batch = Batch(goesOn: goesOn)
        for command in commands {
            let bytes = [UInt8](hex: command)
            batch.append(try Command(parsing: bytes.span))
        }
        return batch
    }

    private func canSend(_ commands: [String], _ channel: SecureChannel) throws -> Bool {
        channel.canTransmit(try batch(commands, goesOn: false))
    }

    private func send(_ commands: [String], goesOn: Bool = false, _ channel: SecureChannel) throws -> [Response] {
        try channel.transmit(try batch(commands, goesOn: goesOn))
    }

    /// A channel to a token with batches.
    private func opened() throws -> OpenChannel { try OpenChannel(.modern, set: "B") }

    private let set = "002241b603840101"
    private let sign = "002a9e9a20" + String(repeating: "11", count: 32) + "40"
    private let serial = "00ca018108"

    @Test("N72: batches are those of the vectors, byte by byte, each in one round trip", arguments: Profile.allCases)
    func vectors(_ profile: Profile) throws {
        let open = try OpenChannel(profile, set: "B")
        let exchanges = open.host.vectors.exchanges.list
        for vector in exchanges.prefix(2) {
            open.line.card = ScriptedCard([try open.host.text(vector.command): try open.host.text(vector.response)])
            _ = try open.channel.transmit(try open.host.text(vector.inner_command))
        }
        let card = ScriptedCard()
        for vector in exchanges[2..<5] {
            card.expect(try open.host.text(vector.command), reply: try open.host.text(vector.response))
        }
        open.line.card = card
        let first = try send([set, sign, serial], open.channel)
        #expect(first.map(\.status) == [.success, .success, .success])
        #expect(first[2].data.hex == "0000000030abcdef")
        let wrong = set.replacing("840101", with: "840109")
        #expect(try send([wrong, sign], open.channel) == [Response(.referencedDataNotFound)])
        let third = try send([wrong, serial], goesOn: true, open.channel)
        #expect(third.map(\.status) == [.referencedDataNotFound, .success])
        #expect(card.isFinished && card.received.count == 3)
    }

    @Test("A batch with a PIN is padded as a whole")
    func secret() throws {
        let open = try opened()
        open.token.answer = { _ in .init(data: [0xB1, 0x02, 0x90, 0x00, 0xB1, 0x02, 0x90, 0x00]) }
        _ = try send(["0020000208" + "3132333435363738", set], open.channel)
        let received = try #require(open.token.received.last)
        #expect(received.indicator == 0x01 && received.data.count == 32)
    }

    @Test(
        "N70: a batch that is empty or holds what none may hold is not sent",
        arguments: [
            [], ["80862000"], ["80860f00"], ["80e44701"], ["0c840000"], ["102a9e9a0100"], ["0184000008"], ["90840000"],
            ["00840000000100"],
        ])
    func notAllowed(_ commands: [String]) throws {
        let open = try opened()
        #expect(try canSend(commands, open.channel) == false)
        #expect(throws: LinkError.malformed) { _ = try send(commands, open.channel) }
        #expect(open.token.count == 0 && open.channel.isOpen)
    }

    @Test("N71: a batch of 17 commands, or whose greatest reply exceeds E1.84, is not sent")
    func tooMuch() throws {
        let open = try opened()
        open.token.answer = { command in
            .init(
                data: command.data.count == 96
                    ? (0..<16).flatMap { _ in [0xB1, 0x02, 0x90, 0x00] } : [0xB1, 2, 0x90, 0])
        }
        #expect(try send([String](repeating: "00840000", count: 16), open.channel).count == 16)
        #expect(try canSend([String](repeating: "00840000", count: 17), open.channel) == false)
        // B1 81 EB, 233 bytes and the status word make 238; with 234 they are one too many.
        #expect(try canSend(["00840000e9"], open.channel))
        #expect(try canSend(["00840000ea"], open.channel) == false)
        #expect(try canSend(["0084000000"], open.channel) == false)
        // 238 bytes of commands, and one more.
        func write(_ count: Int) -> String { "00d60000" + [UInt8(count)].hex + String(repeating: "00", count: count) }
        #expect(try canSend([write(230)], open.channel))
        #expect(try canSend([write(231)], open.channel) == false)
    }

    @Test("N73: a token without the feature gets no batch")
    func noFeature() throws {
        let open = try OpenChannel(.modern, set: "A")
        #expect(try canSend([serial], open.channel) == false)
        #expect(throws: LinkError.malformed) { _ = try send([serial], open.channel) }
        #expect(open.token.count == 0)
    }

    @Test("N71: a batch that the token refuses was not executed: its status word is the first command's")
    func refused() throws {
        let open = try opened()
        open.token.answer = { _ in .init(status: [0x67, 0x00]) }
        #expect(try send([set, serial], open.channel) == [Response(.wrongLength)])
        #expect(open.channel.isOpen)
    }

    @Test(
        "A reply that is none to this batch ends the channel",
        arguments: ["", "b1029000b1029000b1029000", "b1039000", "b0029000", "b10190", "b102900000"])
    func malformed(_ reply: String) throws {
        let open = try opened()
        open.token.answer = { _ in .init(data: [UInt8](hex: reply)) }
        #expect(throws: LinkError.channelBroken) { _ = try send([set, serial], open.channel) }
        #expect(!open.channel.isOpen)
    }
}
