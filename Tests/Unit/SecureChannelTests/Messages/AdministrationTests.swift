// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import SecureChannel
import Secrets
import TestSupport
import Testing

@Suite("The channel's own commands (GSC/1, 6)")
struct AdministrationTests {
    private let open: OpenChannel

    init() throws { open = try OpenChannel(.modern, set: "B") }

    private func entry(_ index: UInt8, state: UInt8 = 1, profile: UInt8 = 2, label: String, isSelf: UInt8) -> [UInt8] {
        let identifier = [UInt8](repeating: index, count: 8)
        let objects: [[UInt8]] = [
            .object(0x80, [index]), .object(0x81, [state]), .object(0x82, [profile]), .object(0x83, identifier),
            .object(0x84, Array(label.utf8)), .object(0x85, [isSelf]),
        ]
        return .object(0xE4, Array(objects.joined()))
    }

    /// Answers with these data, 238 bytes at a time.
    private func answer(_ data: [UInt8]) {
        var rest = data[...]
        open.token.answer = { command in
            let count = min(238, command.le?.first.map { $0 == 0 ? 256 : Int($0) } ?? 0)
            let piece = rest.prefix(count)
            rest = rest.dropFirst(count)
            let left = UInt8(min(rest.count, 255))
            return .init(data: Array(piece), status: rest.isEmpty ? [0x90, 0x00] : [0x61, left])
        }
    }

    @Test("LIST tells all hosts, however many messages they take")
    func list() throws {
        let label = String(repeating: "x", count: 32)
        answer((1...16).flatMap { entry($0, state: $0 == 16 ? 0 : 1, label: label, isSelf: $0 == 3 ? 1 : 0) })
        let hosts = try open.channel.pairedHosts()
        #expect(hosts.map(\.index) == Array(1...16))
        #expect(hosts.filter(\.isSelf).map(\.index) == [3])
        #expect(hosts.filter { !$0.isActive }.map(\.index) == [16])
        #expect(hosts.allSatisfy { $0.label == label && $0.profile == .modern && $0.hostID.count == 8 })
        #expect(open.token.received.first?.header == [0x80, 0xCA, 0x47, 0x10])
        #expect(open.token.received.dropFirst().allSatisfy { $0.header == [0x00, 0xC0, 0x00, 0x00] })
    }

    @Test("A token without hosts has an empty list")
    func empty() throws { #expect(try open.channel.pairedHosts().isEmpty) }

    @Test(
        "A malformed list is refused",
        arguments: [
            "e400", "e5", "e41c800100810101820102830801010101010101018400850101",
            "e41c800101810102820102830801010101010101018400850101",
            "e41c800101810101820103830801010101010101018400850101",
            "e41c80010181010182010283080101010101010101840085010100",
        ])
    func malformedList(_ list: String) throws {
        answer([UInt8](hex: list))
        #expect(throws: ChannelError.malformedResponse) { try open.channel.pairedHosts() }
        #expect(open.channel.isOpen)
    }

    @Test(
        "N55: UNPAIR of another host leaves the channel open, of this host it ends it",
        arguments: [2, 1, 0xFF] as [UInt8])
    func unpair(_ index: UInt8) throws {
        try open.channel.unpair(index: index)
        #expect(open.token.received.map(\.header) == [[0x80, 0xE4, 0x47, index]])
        #expect(open.token.received[0].data.isEmpty && open.token.received[0].le == nil)
        #expect(open.channel.isOpen == (index == 2))
    }

    @Test("N56: what needs the Security Officer says so, and the channel stays open")
    func refused() throws {
        open.token.answer = { _ in .init(status: [0x69, 0x82]) }
        let refusal = ChannelError.refused(.securityStatusNotSatisfied)
        #expect(throws: refusal) { try open.channel.unpair(index: 2) }
        #expect(throws: refusal) { try open.channel.unpair(index: 0xFF) }
        #expect(throws: refusal) { try open.channel.resetSlot(1) }
        #expect(throws: refusal) { try open.channel.resetPairings() }
        #expect(throws: refusal) {
            _ = try open.channel.generateActivationPassword(slot: 0, charset: .letters, isOneTime: false)
        }
        #expect(open.channel.isOpen)
    }

    @Test("N57: slot reset and channel reset are sent as they are, and the latter ends the channel")
    func resets() throws {
        try open.channel.resetSlot(4)
        #expect(open.channel.isOpen)
        try open.channel.resetPairings()
        #expect(!open.channel.isOpen)
        #expect(open.token.received.map(\.header) == [[0x80, 0x86, 0x10, 0x04], [0x80, 0x86, 0x1F, 0x00]])
    }

    @Test("A generated password is that of the vectors", arguments: Profile.allCases)
    func password(_ profile: Profile) throws {
        let open = try OpenChannel(profile, set: "B")
        let vectors = open.host.vectors.exchanges.list
        let index = try #require(vectors.firstIndex { $0.inner_header.text == "80861103" })
        for _ in 1..<(try #require(vectors[index].n.number)) { _ = try open.channel.transmit("00840000") }
        open.line.card = ScriptedCard([
            try open.host.text(vectors[index].command): try open.host.text(vectors[index].response)
        ])
        let password = try open.channel.generateActivationPassword(
            slot: 3, charset: .lettersAndDigits, isOneTime: false)
        let text = password.bytes.indices.map { password.bytes[$0] }
        #expect(text == Array(vectors[index].inner_response_data.bytes.dropFirst(2)))
    }

    @Test("The request for a password names the symbols, and that it serves once")
    func request() throws {
        open.token.answer = { _ in .init(data: [0x87, 12] + Array("ABCDEFGHIJKL".utf8)) }
        _ = try open.channel.generateActivationPassword(slot: 0, charset: .letters, isOneTime: true)
        let received = try #require(open.token.received.last)
        #expect(received.header == [0x80, 0x86, 0x11, 0x00] && received.data.hex == "800101810101")
        #expect(received.le == [0x00])
    }

    @Test(
        "What is no password in its canonical form is none",
        arguments: [
            "", "870c4142434445464748494a4b", "860c4142434445464748494a4b4c", "870c6162636465666768696a6b6c", "8700",
        ])
    func malformedPassword(_ reply: String) throws {
        open.token.answer = { _ in .init(data: [UInt8](hex: reply)) }
        #expect(throws: ChannelError.malformedResponse) {
            _ = try open.channel.generateActivationPassword(slot: 0, charset: .letters, isOneTime: true)
        }
    }
}
