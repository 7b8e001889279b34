// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("A store that any synchroniser may replicate between a user's machines")
struct SynchronisedStoreTests {
    /// One machine; the key of the seals has been carried to it from another.
    private struct Machine {
        let place: StorePlace

        init(like other: Machine? = nil) throws {
            place = try StorePlace(.synchronised)
            let key = try other.map { try Array($0.content(of: "own/key")) } ?? SystemRandom().bytes(32)
            try Directory(path: place.own, create: true).write("key", key.span)
            _ = try Directory(path: place.shared, create: true)
        }

        /// A machine with a host key of its own.
        init(withOwnKeyLike other: Machine) throws {
            try self.init(like: other)
            let key = try PrivateKey.generate(on: .cryptoProA, random: SystemRandom())
            try Directory(path: place.own, create: true).write("host.01", key.scalar.bytes)
        }

        func content(of file: String) throws -> Data {
            try Data(contentsOf: URL(filePath: place.folder + "/" + file))
        }

        func store() throws -> PairingStore { try place.open() }
        func records() throws -> [PairingRecord] { try store().records().map(\.record) }

        /// The ID_H of the machine's own host key.
        func hostID() throws -> [UInt8] {
            let key = try PrivateKey(
                curve: .cryptoProA, scalar: Secret(copying: Array(content(of: "own/host.01"))))
            return try Array(GOSTR341194.hash(key.publicKey().bytes).prefix(8))
        }

        /// A pairing by the machine's own host key.
        func record(token: UInt8 = 0, created: Int64) throws -> PairingRecord {
            let record = try place.record(token: token, created: created)
            return try PairingRecord(
                profile: .classic, capabilities: record.capabilities, tokenKey: record.tokenKey, hostID: hostID(),
                index: 1, created: created)
        }

        var files: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: place.shared).sorted() }
        }

        /// Copies a file from another machine, under the same or another name.
        func receive(_ name: String, from other: Machine, as newName: String? = nil) throws {
            let path = place.shared + "/" + (newName ?? name)
            try other.content(of: "shared/" + name).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        }

        func receiveAll(from other: Machine) throws {
            for name in try other.files { try receive(name, from: other) }
        }
    }

    @Test("A pairing made on one machine opens the channel on another, with the host key that came with it")
    func travel() throws {
        let host = try Host(), first = try Machine(), second = try Machine(withOwnKeyLike: first)
        try first.store().save(host.record)
        try second.receiveAll(from: first)
        let record = try #require(try second.records().first)
        #expect(record == host.record)
        let card = ScriptedCard()
        try host.expectOpening(card)
        _ = try SecureChannel.open(
            over: card, record: record, store: second.store(), instance: host.instance,
            random: FixedRandom(host.openingRandom))
    }

    @Test("What lies in the directory shows neither token nor host key, and each state has another seal")
    func sealed() throws {
        let machine = try Machine()
        let record = try machine.place.record()
        try machine.store().save(record)
        let name = try #require(try machine.files.first)
        let before = try machine.content(of: "shared/" + name)
        for secret in [Data(record.capabilities.serial), Data(record.hostID), try machine.content(of: "own/host.01")] {
            #expect(before.range(of: secret) == nil)
        }
        #expect(!name.contains(record.capabilities.serial.hex))
        try machine.store().save(machine.place.updated(record))
        #expect(try machine.files == [name])
        #expect(try machine.content(of: "shared/" + name).dropFirst(37).prefix(32) != before.dropFirst(37).prefix(32))
    }

    @Test("Without the key, what was sealed under it is ignored and kept; a user's files do not disturb another's")
    func foreign() throws {
        let first = try Machine(), stranger = try Machine()
        try first.store().save(first.place.record())
        try stranger.store().save(stranger.place.record(token: 1))
        try stranger.receiveAll(from: first)
        #expect(try stranger.records() == [stranger.place.record(token: 1)])
        #expect(try stranger.files.count == 2)
        let name = try #require(try first.files.first)
        #expect(try stranger.content(of: "shared/" + name) == first.content(of: "shared/" + name))
    }

    @Test("Files that are no entries are ignored and kept, whatever they are")
    func rubbish() throws {
        let machine = try Machine()
        try machine.store().save(machine.place.record())
        let entry = try #require(try machine.files.first), path = machine.place.shared
        for (name, content) in [
            ("README", Data("text".utf8)), ("empty.pairing", Data()), ("large", Data(repeating: 1, count: 100_000)),
            ("cut.pairing", try machine.content(of: "shared/" + entry).dropLast()), (".hidden", Data([1])),
        ] {
            try content.write(to: URL(filePath: path + "/" + name))
        }
        try FileManager.default.createDirectory(atPath: path + "/folder", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: path + "/" + entry)
        #expect(unsafe mkfifo(path + "/pipe", 0o600) == 0)
        let files = try machine.files
        #expect(try machine.records() == [machine.place.record()])
        try machine.store().save(machine.place.record(token: 1))
        #expect(try machine.records().count == 2)
        #expect(try Set(machine.files).isSuperset(of: files))
    }

    @Test(
        "A copy under whatever name a synchroniser invents is as good as the original",
        arguments: [
            "x.sync-conflict-20260101-120000-ABCDEFG.pairing", "x (conflicted copy 2026-01-01).pairing", "x~1", "é",
        ])
    func copies(_ name: String) throws {
        let first = try Machine(), second = try Machine(like: first)
        try first.store().save(first.place.record())
        let original = try #require(try first.files.first)
        try second.receive(original, from: first, as: name)
        #expect(try second.records() == first.records())
        try second.receive(original, from: first)
        #expect(try second.records() == first.records())
        // Deleted here, while the copy stays.
        try second.store().remove(second.place.record())
        #expect(try second.records() == [])
        #expect(try second.files.contains(name))
    }

    @Test("Of two states of one entry the later counts on every machine, in whatever order they come")
    func revisions() throws {
        let first = try Machine(), second = try Machine(like: first), record = try first.place.record()
        try first.store().save(record)
        let name = try #require(try first.files.first)
        try second.receive(name, from: first, as: "old")
        try first.store().save(first.place.updated(record))
        try second.receive(name, from: first, as: "new")
        #expect(try second.records() == [second.place.updated(record)])
        try second.receive("old", from: second, as: "z-old")
        #expect(try second.records() == [second.place.updated(record)])
    }

    @Test("A deletion propagates as a tombstone, and no older copy brings the entry back")
    func deletion() throws {
        let first = try Machine(), second = try Machine(like: first), record = try first.place.record()
        try first.store().save(record)
        try second.receiveAll(from: first)
        let name = try #require(try first.files.first)
        try first.receive(name, from: second, as: "x (conflicted copy)")
        try first.store().remove(record)
        #expect(try first.files.contains(name))
        #expect(try first.records() == [])
        try second.store().save(second.place.updated(record))
        try second.receive(name, from: first, as: "x.sync-conflict-1.pairing")
        #expect(try second.records() == [])
    }

    @Test("A machine remembers a token that it has worked with until a tombstone of that very pairing comes")
    func memory() throws {
        let first = try Machine(), second = try Machine(like: first), record = try first.place.record()
        let serial = record.capabilities.serial
        try first.store().save(record)
        try second.receiveAll(from: first)
        try second.store().accept(record)
        let names = try second.files
        for name in names { try FileManager.default.removeItem(atPath: second.place.shared + "/" + name) }
        #expect(try second.records() == [])
        #expect(try second.store().hasRecord(serial: serial))
        // A tombstone of another pairing with the token.
        try first.store().remove(record)
        try first.store().save(first.place.record(created: 20))
        try first.store().remove(first.place.record(created: 20))
        for name in try first.files where !names.contains(name) { try second.receive(name, from: first) }
        #expect(try second.store().hasRecord(serial: serial))
        try second.receiveAll(from: first)
        #expect(try !second.store().hasRecord(serial: serial))
    }

    @Test("Of any number of foreign files a bounded number is looked at, those with the names of entries first")
    func crowd() throws {
        let machine = try Machine(), record = try machine.place.record()
        try machine.store().save(record)
        #expect(try !machine.store().isCrowded)
        for number in 0..<20_000 {
            let name = machine.place.shared + "/0\(number)"
            #expect(FileManager.default.createFile(atPath: name, contents: nil))
        }
        let begin = ContinuousClock().now
        let store = try machine.store()
        #expect(store.isCrowded)
        #expect(try store.hasRecord(serial: record.capabilities.serial))
        #expect(try machine.records() == [record])
        #expect(ContinuousClock().now - begin < .seconds(5))
        // A record deleted in a crowded directory stays deleted.
        try store.remove(record)
        #expect(try machine.records() == [])
    }

    @Test("A re-pairing after a deletion is a new entry, which the tombstone does not concern")
    func again() throws {
        let first = try Machine(), second = try Machine(like: first)
        try first.store().save(first.place.record(created: 10))
        try second.receiveAll(from: first)
        try first.store().remove(first.place.record(created: 10))
        try second.store().save(second.place.record(created: 20))
        try second.receiveAll(from: first)
        try first.receiveAll(from: second)
        let record = try first.place.record(created: 20)
        #expect(try first.records() == [record])
        #expect(try second.records() == [record])
    }

    @Test("Pairings of one token by different host keys live side by side")
    func hostKeys() throws {
        let first = try Machine(), second = try Machine(withOwnKeyLike: first)
        let old = try first.record(created: 10), young = try second.record(created: 20)
        try first.store().save(old)
        try second.store().save(young)
        try first.receiveAll(from: second)
        try second.receiveAll(from: first)
        for machine in [first, second] {
            #expect(try machine.records() == [young, old])
            #expect(try machine.store().records(serial: old.capabilities.serial, profile: .classic) == [young, old])
        }
        try first.store().remove(young)
        #expect(try first.records() == [old])
    }

    @Test("A directory that is gone is not made anew, so that no token counts as unpaired for that")
    func gone() throws {
        let machine = try Machine()
        try machine.store().save(machine.place.record())
        try FileManager.default.removeItem(atPath: machine.place.shared)
        for create in [false, true] {
            #expect(throws: StorageError.notFound) { try machine.place.open(create: create) }
        }
    }

    @Test("N59: an unusable key is kept aside when the user pairs again")
    func unusableKey() throws {
        let machine = try Machine()
        let local = try Directory(path: machine.place.own, create: false)
        try local.write("key", [1, 2, 3].span)
        #expect(try machine.records() == [])
        try machine.store().save(machine.place.record())
        #expect(try local.read("key", limit: 100)?.count == 32)
        #expect(try local.read("key.unusable", limit: 100) == [1, 2, 3])
        #expect(try machine.records().count == 1)
    }

    // MARK: Any order

    /// A synchroniser between two machines: it remembers the last common state, and keeps both states of a conflict.
    private final class Synchroniser {
        let ends: (Machine, Machine)
        private var known: [String: Data] = [:]
        private var conflicts = 0

        init(_ first: Machine, _ second: Machine) { ends = (first, second) }

        func run() throws {
            for name in try Set(ends.0.files + ends.1.files) {
                let left = try? ends.0.content(of: "shared/" + name), right = try? ends.1.content(of: "shared/" + name)
                guard left != right else { continue }
                if left == nil || left == known[name] {
                    try ends.0.receive(name, from: ends.1)
                } else if right == nil || right == known[name] {
                    try ends.1.receive(name, from: ends.0)
                } else {
                    conflicts += 1
                    let copy = "\(name.prefix(8)).sync-conflict-\(UUID().uuidString.prefix(4))-\(conflicts)"
                    try ends.1.receive(name, from: ends.1, as: copy)
                    try ends.0.receive(copy, from: ends.1)
                    try ends.1.receive(name, from: ends.0)
                }
            }
            for name in try ends.0.files { known[name] = try ends.0.content(of: "shared/" + name) }
        }
    }

    @Test("Whatever three machines do, and however they are synchronised, no pairing is lost and none comes back")
    func anyOrder() throws {
        for seed: UInt64 in 0..<4 {
            var random = Numbers(state: seed)
            let first = try Machine()
            try first.store().save(first.record(token: 200, created: 1))
            let machines = [first, try Machine(withOwnKeyLike: first), try Machine(withOwnKeyLike: first)]
            let lines = [(0, 1), (1, 2), (2, 0)].map { Synchroniser(machines[$0.0], machines[$0.1]) }
            for line in lines { try line.run() }
            var made: Set<Int64> = [1], deleted: Set<Int64> = []
            for time: Int64 in 2..<24 {
                let machine = machines[Int(random.next() % 3)]
                let present = try machine.records()
                switch random.next() % 6 {
                case 0, 1:
                    // Replaces this machine's own record of the token.
                    let record = try machine.record(token: UInt8(random.next() % 3), created: time)
                    for old in present where old.capabilities.serial == record.capabilities.serial {
                        if old.hostID == record.hostID { deleted.insert(old.created) }
                    }
                    try machine.store().save(record)
                    made.insert(time)
                case 2:
                    guard let record = present.randomElement(using: &random) else { break }
                    try machine.store().remove(record)
                    for old in present where old.capabilities.serial == record.capabilities.serial {
                        if old.hostID == record.hostID { deleted.insert(old.created) }
                    }
                case 3:
                    guard let record = present.randomElement(using: &random) else { break }
                    try machine.store().save(machine.place.updated(record))
                default:
                    try lines[Int(random.next() % 3)].run()
                }
            }
            for line in lines + lines + lines { try line.run() }
            for machine in machines {
                #expect(try Set(machine.records().map(\.created)) == made.subtracting(deleted), "seed \(seed)")
            }
            #expect(try machines[1].records() == machines[0].records())
            #expect(try machines[2].records() == machines[0].records())
        }
    }

    /// Numbers that come again with the same seed.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) ^ (state << 31)
        }
    }
}
