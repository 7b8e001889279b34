// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("Pairing stores of every kind (GSC/1, 9)")
struct PairingStoreKindTests {
    @Test("Records are kept, listed youngest first, replaced and forgotten", arguments: StorePlace.Kind.allCases)
    func roundTrip(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        let first = try place.record(created: 10), second = try place.record(token: 1, created: 20)
        #expect(try store.records() == [])
        try store.save(first)
        try store.save(second)
        #expect(try store.record(serial: first.capabilities.serial, profile: .classic) == first)
        #expect(try store.record(serial: first.capabilities.serial, profile: .modern) == nil)
        #expect(try store.records().map(\.record) == [second, first])
        let again = try place.record(created: 30, index: 2)
        try store.save(again)
        #expect(try place.open(create: false).records().map(\.record) == [again, second])
        try store.remove(again)
        try store.remove(again)
        #expect(try store.records().map(\.record) == [second])
        try store.remove(serial: second.capabilities.serial, profile: .classic)
        #expect(try store.records() == [])
    }

    @Test("An entry tells label, serial, creation and last use", arguments: StorePlace.Kind.allCases)
    func entry(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        let record = try place.record(created: 1_000_000)
        try store.save(record)
        var entry = try #require(try store.records().first)
        #expect(entry.serial == record.capabilities.serial)
        #expect(entry.profile == .classic)
        #expect(entry.created == 1_000_000)
        #expect(entry.label == "")
        #expect(entry.lastUsed == nil)
        store.markUsed(record, label: "My token", at: 1_000_100)
        entry = try #require(try store.records().first)
        #expect(entry.label == "My token")
        #expect(entry.lastUsed == 1_000_100)
        #expect(entry.record == record)
        try store.remove(record)
        try store.save(record)
        #expect(try store.records().first?.lastUsed == nil)
    }

    @Test("The last use is written once a day, and when the label changes", arguments: StorePlace.Kind.allCases)
    func seldom(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        let record = try place.record(created: 0)
        try store.save(record)
        store.markUsed(record, label: "a", at: 1000)
        let files = place.files
        for time: Int64 in [1000, 1001, 87_399] {
            store.markUsed(record, label: "a", at: time)
            store.markUsed(record, at: time)
        }
        #expect(place.files == files)
        store.markUsed(record, at: 87_400)
        #expect(try store.records().first?.lastUsed == 87_400)
        #expect(try store.records().first?.label == "a")
        store.markUsed(record, label: "b", at: 87_401)
        #expect(try store.records().first?.label == "b")
    }

    @Test("A note of an impossible time counts as missing", arguments: StorePlace.Kind.allCases)
    func impossibleTime(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        let record = try place.record(created: 0)
        try store.save(record)
        for time in [Int64.min, -1] {
            store.markUsed(record, label: "a", at: time)
            #expect(try store.records().first?.lastUsed == nil)
            store.markUsed(record, label: "a", at: 1000)
            #expect(try store.records().first?.lastUsed == 1000)
        }
    }

    @Test("That a use cannot be noted fails nothing", arguments: StorePlace.Kind.allCases)
    func unnoted(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        let record = try place.record()
        try store.save(record)
        fail_change(0, ENOSPC, true)
        store.markUsed(record, label: "x")
        #expect(end_failing())
        #expect(try store.records().map(\.record) == [record])
        #expect(try store.records().first?.label == "")
    }

    @Test("N58: a record that others can read is refused", arguments: [StorePlace.Kind.own, .group])
    func laxRecord(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        let record = try place.record()
        try store.save(record)
        #expect(unsafe chmod(try place.recordFile(), 0o664) == 0)
        let denied = ChannelError.storage(.denied(.accessibleToOthers))
        #expect(throws: denied) { try store.record(serial: record.capabilities.serial, profile: .classic) }
        #expect(throws: denied) { try store.records() }
    }

    @Test("N58: a store that others can read is refused", arguments: StorePlace.Kind.allCases)
    func laxStore(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        try store.save(place.record())
        let mode: mode_t = kind == .group ? 0o2775 : 0o755
        for path in kind == .synchronised ? [place.own, place.shared] : [place.own] {
            #expect(unsafe chmod(path, mode) == 0)
            #expect(throws: StorageError.denied(.accessibleToOthers)) { try place.open() }
            #expect(throws: StorageError.denied(.accessibleToOthers)) { try place.open(create: false) }
            #expect(throws: ChannelError.storage(.denied(.accessibleToOthers))) {
                try store.save(place.record(token: 1))
            }
            #expect(unsafe chmod(path, kind == .group ? 0o2770 : 0o700) == 0)
        }
        #expect(try place.open().records().count == 1)
    }

    @Test("A symbolic link in the place of the store or of a record is refused", arguments: StorePlace.Kind.allCases)
    func links(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        let record = try place.record()
        try store.save(record)
        let file = try place.recordFile(), files = FileManager.default
        try files.moveItem(atPath: file, toPath: place.folder + "/elsewhere")
        try files.createSymbolicLink(atPath: file, withDestinationPath: place.folder + "/elsewhere")
        if kind == .synchronised {
            #expect(try store.records() == [])
        } else {
            #expect(throws: ChannelError.storage(.denied(.otherKind))) { try store.records() }
        }
        try files.moveItem(atPath: place.own, toPath: place.folder + "/moved")
        try files.createSymbolicLink(atPath: place.own, withDestinationPath: place.folder + "/moved")
        #expect(throws: StorageError.denied(.otherKind)) { try place.open() }
    }

    @Test(
        "N59: a record cut short or changed counts as not paired, and the file is kept",
        arguments: StorePlace.Kind.allCases)
    func corrupt(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let store = try place.open()
        try store.save(place.record())
        let file = try place.recordFile()
        let good = try [UInt8](#require(FileManager.default.contents(atPath: file)))
        for index in good.indices {
            var bad = good
            bad[index] ^= 1 << UInt8(index % 8)
            for content in [bad, Array(good.prefix(index))] {
                try Data(content).write(to: URL(filePath: file))
                #expect(try store.records() == [])
                #expect(FileManager.default.contents(atPath: file) == Data(content))
            }
        }
        try Data(good).write(to: URL(filePath: file))
        #expect(try store.records().count == 1)
    }

    @Test("Nothing is made before a token is activated", arguments: [StorePlace.Kind.own, .synchronised])
    func lazily(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        try FileManager.default.removeItem(atPath: place.own)
        #expect(try PairingStore.open(place.location, create: false, random: FixedRandom([])) == nil)
        #expect(place.files.isEmpty)
    }

    @Test(
        "A look into a store that was only begun finds no records, and makes nothing",
        arguments: StorePlace.Kind.allCases)
    func begun(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        let files = place.files
        let store = try PairingStore.open(place.location, create: false, random: FixedRandom([]))
        #expect(try store?.records() ?? [] == [])
        #expect(try store?.record(serial: place.capabilities.serial, profile: .classic) == nil)
        #expect(place.files == files)
        try place.open().save(place.record())
        #expect(try place.open(create: false).records().count == 1)
    }

    @Test("No record is lost when many threads keep theirs at once", arguments: StorePlace.Kind.allCases)
    func together(_ kind: StorePlace.Kind) async throws {
        let place = try StorePlace(kind)
        let location = place.location
        let records = try (0..<8).map { try place.record(token: $0, created: Int64($0)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    let store = try PairingStore.open(location, create: true, random: SystemRandom())
                    for record in records[part * 2..<part * 2 + 2] { try store?.save(record) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try place.open().records().map(\.record) == records.reversed())
    }
}
