// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import SecureChannel
import Secrets
import TestSupport
import Testing

@Suite("Extended length (GSC/1, 4 and 13.3)")
struct ExtendedLengthTests {
    /// A channel to a token that takes `size` bytes in a message, over a link that takes `length` bytes.
    private func opened(_ profile: Profile, size: Int, length: Int) throws -> (SecureChannel, TokenSide) {
        let plain = try Host(set: "B", profile: profile)
        let sizes =
            "8302" + [UInt8(size >> 8), UInt8(size & 0xFF)].hex + "8402" + [UInt8(size >> 8), UInt8(size & 0xFF)].hex
        let bytes = plain.capabilities.bytes.hex.replacing("830200ee840200ee", with: sizes)
        let capabilities = try Capabilities(parsing: [UInt8](hex: bytes))
        let token = plain.token(capabilities: capabilities)
        token.maximumLength = length
        let record = PairingRecord(
            profile: profile, capabilities: capabilities, tokenKey: plain.record.tokenKey, hostID: plain.record.hostID,
            index: 1, created: 0)
        let channel = try SecureChannel.open(
            over: token, record: record, store: plain.store, instance: plain.instance, random: SystemRandom())
        return (channel, token)
    }

    private func update(_ count: Int, ne: Int? = nil) -> Command {
        Command(0x00, 0xD6, 0, 0, bytes: [UInt8](repeating: 5, count: count), ne: ne)
    }

    @Test("N47: where reader and token take them, long data go in one message", arguments: Profile.allCases)
    func long(_ profile: Profile) throws {
        let (channel, token) = try opened(profile, size: 4096, length: 65_544)
        _ = try channel.transmit(update(1000))
        #expect(token.received.map(\.data.count) == [1000])
        #expect(token.received[0].ne == 65_536)
        _ = try channel.transmit(update(1024))
        #expect(token.received.count == 2)
        if profile == .modern {
            _ = try channel.transmit(update(4096))
            #expect(token.received.map(\.data.count) == [1000, 1024, 4096])
            _ = try channel.transmit(update(4097))
            #expect(token.received.suffix(2).map(\.data.count) == [4096, 1])
            #expect(token.received.suffix(2).map { $0.header[0] } == [0x10, 0x00])
        } else {
            #expect(throws: LinkError.malformed) { try channel.transmit(update(1025)) }
        }
        #expect(token.refusals == 0)
    }

    @Test("N47: what the reader does not take goes in a chain", arguments: [(261, 238), (512, 484), (2048, 2020)])
    func reader(_ length: Int, _ size: Int) throws {
        let (channel, token) = try opened(.modern, size: 4096, length: length)
        _ = try channel.transmit(update(5000, ne: 256))
        let sizes = [Int](repeating: size, count: 5000 / size) + [5000 % size]
        #expect(token.received.map(\.data.count) == sizes)
        #expect(token.received.allSatisfy { $0.length <= length })
        #expect(token.refusals == 0)
    }

    @Test("A token that takes no extended length gets none, whatever the reader can")
    func token() throws {
        let (channel, token) = try opened(.modern, size: 238, length: 65_544)
        _ = try channel.transmit(update(500, ne: 65_536))
        #expect(token.received.map(\.data.count) == [237, 237, 26])
        #expect(token.received.allSatisfy { $0.ne == 256 })
    }

    @Test("Short commands stay short; a long reply is asked for with an extended Le")
    func replies() throws {
        let (channel, token) = try opened(.modern, size: 4096, length: 65_544)
        token.answer = { _ in .init(data: [UInt8](repeating: 1, count: 4000)) }
        #expect(try channel.transmit(Command(0x00, 0xB0, 0, 0, ne: 4000)).data.count == 4000)
        #expect(token.received.last?.ne == 65_536)
        token.answer = { _ in .init() }
        _ = try channel.transmit(update(10, ne: 238))
        #expect(token.received.last?.ne == 256)
    }

    @Test("A padded message stays within the token's greatest")
    func padded() throws {
        let (channel, token) = try opened(.modern, size: 1000, length: 65_544)
        _ = try channel.transmit(Command(0x00, 0x24, 0x01, 0x02, bytes: [UInt8](repeating: 0x31, count: 1500)))
        #expect(token.received.map(\.data.count) == [992, 512])
        #expect(token.received.allSatisfy { $0.indicator == 0x01 })
    }
}
