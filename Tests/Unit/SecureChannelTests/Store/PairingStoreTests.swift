// SPDX-License-Identifier: Apache-2.0
import Foundation
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("The pairing store (GSC/1, 9)")
struct PairingStoreTests {
    let host: Host
    private var file: String { host.path + "/tokens/0000000030abcdef.01" }

    init() throws { host = try Host() }

    @Test("A record is kept under serial and profile, and forgotten on request")
    func roundTrip() throws {
        #expect(try host.storedRecord == nil)
        try host.store.save(host.record)
        #expect(host.tokenFiles == ["0000000030abcdef.01"])
        #expect(try host.storedRecord == host.record)
        #expect(try host.store.record(serial: host.capabilities.serial, profile: .modern) == nil)
        try host.store.remove(serial: host.capabilities.serial, profile: .classic)
        #expect(try host.storedRecord == nil)
    }

    @Test("N58: a record that others can read is refused")
    func accessible() throws {
        try host.store.save(host.record)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(throws: ChannelError.storage(.denied(.accessibleToOthers))) { try host.storedRecord }
    }

    @Test("N58: a host key that others can read is refused")
    func accessibleKey() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: host.path + "/host.01")
        #expect(throws: ChannelError.storage(.denied(.accessibleToOthers))) { try host.open(over: Line()) }
    }

    @Test("N59: a record cut short or changed in any byte counts as not paired, and the file is kept")
    func corrupt() throws {
        try host.store.save(host.record)
        let directory = try Directory(path: host.path + "/tokens", create: false)
        let good = try #require(try directory.read("0000000030abcdef.01", limit: 1000))
        for index in good.indices {
            var bad = good
            bad[index] ^= 1 << UInt8(index % 8)
            for content in [bad, Array(good.prefix(index))] {
                try Data(content).write(to: URL(filePath: file))
                #expect(try host.storedRecord == nil)
                #expect(FileManager.default.contents(atPath: file) == Data(content))
            }
        }
        try directory.write("0000000030abcdef.01", [UInt8](repeating: 0, count: 100_000).span)
        #expect(try host.storedRecord == nil)
    }

    @Test("A record under the name of another token counts as not paired")
    func renamed() throws {
        try host.store.save(host.record)
        try FileManager.default.moveItem(atPath: file, toPath: host.path + "/tokens/0000000030abcdee.01")
        #expect(try host.store.record(serial: [UInt8](hex: "0000000030abcdee"), profile: .classic) == nil)
    }

    @Test("N59: an unusable host key is kept aside when the user pairs again")
    func unusableKey() throws {
        let directory = try Directory(path: host.path, create: false)
        try directory.write("host.01", [1, 2, 3].span)
        let card = ScriptedCard()
        host.expectSlot(card)
        card.answer("6983")
        #expect(throws: ChannelError.slotBlocked) { try host.activate(over: card, random: SystemRandom()) }
        #expect(try directory.read("host.01", limit: 32)?.count == 32)
        #expect(try directory.read("host.01.unusable", limit: 32) == [1, 2, 3])
    }

    @Test("A pairing counts before those that were there, though the clock stands earlier than it stood at theirs")
    func clockSetBack() throws {
        let scene = try PairingScene(.classic), host = scene.host
        let place = try StorePlace(.synchronised)
        let store = try place.open()
        let former = PairingRecord(
            profile: .classic, capabilities: host.capabilities, tokenKey: try Host(set: "B").vectors.T_pub.bytes,
            hostID: host.record.hostID, index: 1, created: 1 << 40)
        try store.save(former)
        try scene.expectPairing()
        try host.expectOpening(scene.card)
        _ = try host.activate(
            over: scene.card, random: FixedRandom(host.pairingRandom, host.openingRandom), in: store)
        let record = try #require(try store.record(serial: host.capabilities.serial, profile: .classic))
        #expect(record.tokenKey == host.record.tokenKey)
        #expect(try store.records().count == 1)
    }
}
