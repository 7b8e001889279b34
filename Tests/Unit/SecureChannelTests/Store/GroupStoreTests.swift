// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("A store that the members of a Unix group share")
struct GroupStoreTests {
    /// Runs `body` with the rights of a user, on files.
    private func acting<Value>(as user: uid_t, in group: gid_t, _ body: () throws -> Value) rethrows -> Value {
        act_as(user, group)
        defer { act_as(0, 0) }
        return try body()
    }

    @Test("Group configured and permitted: every member works after one member's activation", .needsRoot)
    func members() throws {
        let place = try StorePlace(.group), host = try Host()
        // One member makes its files under a strict umask.
        let mask = umask(0o077)
        defer { umask(mask) }
        try acting(as: 10_001, in: StorePlace.group) {
            let store = try place.open()
            try store.save(host.record)
            store.markUsed(host.record, label: "token", at: 100)
        }
        // Another member uses them: it opens the channel and pairs again.
        try acting(as: 10_002, in: StorePlace.group) {
            let store = try place.open(create: false)
            #expect(try store.records().map(\.label) == ["token"])
            let record = try #require(try store.record(serial: host.capabilities.serial, profile: .classic))
            let card = ScriptedCard()
            try host.expectOpening(card)
            _ = try SecureChannel.open(
                over: card, record: record, store: store, instance: host.instance,
                random: FixedRandom(host.openingRandom))
            try store.save(place.updated(record))
            store.markUsed(record, label: "other", at: 1_000_000)
            #expect(try store.records().map(\.label) == ["other"])
        }
        try acting(as: 10_001, in: StorePlace.group) {
            let store = try place.open()
            #expect(try store.records().map(\.record) == [place.updated(host.record)])
            try store.remove(host.record)
        }
        #expect(try place.open().records() == [])
    }

    @Test("Files have mode 0660 and the directory's group, directories 2770, whatever the mask", .needsRoot)
    func modes() throws {
        let place = try StorePlace(.group, key: false), host = try Host()
        let mask = umask(0o077)
        defer { umask(mask) }
        try acting(as: 10_001, in: StorePlace.group) {
            let store = try place.open()
            try store.save(host.record)
            store.markUsed(host.record, label: "token")
        }
        for name in place.files.keys.sorted() where name.hasPrefix("own/") {
            var status = stat()
            #expect(unsafe lstat(place.folder + "/" + name, &status) == 0)
            #expect(status.st_gid == StorePlace.group, "\(name)")
            #expect(
                status.st_mode == (status.st_mode & S_IFMT == S_IFDIR ? S_IFDIR | 0o2770 : S_IFREG | 0o660), "\(name)")
        }
    }

    @Test(
        "Group configured but not permitted: whoever is no member can neither activate nor open", .needsRoot)
    func stranger() throws {
        let place = try StorePlace(.group)
        try place.open().save(place.record())
        acting(as: 10_003, in: 10_003) {
            for create in [false, true] {
                #expect(throws: StorageError.denied(.otherMembers)) { try place.open(create: create) }
            }
        }
    }

    @Test("Group configured but not permitted: a missing directory is not made, and nothing takes its place")
    func missing() throws {
        let path = "/tmp/kanal-none-\(UUID().uuidString)"
        for create in [false, true] {
            #expect(throws: StorageError.notFound) {
                _ = try PairingStore.open(.group(path), create: create, random: FixedRandom([]))
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "Group configured but not permitted: a lax directory is refused",
        arguments: [
            (0o2777, StorageError.Denial.accessibleToOthers), (0o2775, .accessibleToOthers),
            (0o2771, .accessibleToOthers),
            (0o770, .withoutGroup), (0o700, .withoutGroup),
        ])
    func lax(_ mode: Int, _ denial: StorageError.Denial) throws {
        let place = try StorePlace(.group)
        #expect(unsafe chmod(place.own, mode_t(mode)) == 0)
        #expect(throws: StorageError.denied(denial)) { try place.open() }
    }

    @Test("A file of another group is refused", .needsRoot)
    func otherGroup() throws {
        let place = try StorePlace(.group)
        let store = try place.open()
        try store.save(place.record())
        #expect(unsafe chown(try place.recordFile(), 10_001, 10_003) == 0)
        #expect(throws: ChannelError.storage(.denied(.otherGroup))) { try store.records() }
    }

    @Test("Nothing configured: it works, and is the user's alone")
    func unconfigured() throws {
        let place = try StorePlace(.own)
        try place.open().save(place.record())
        for name in place.files.keys where name.hasPrefix("own") {
            var status = stat()
            #expect(unsafe lstat(place.folder + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o077 == 0)
            #expect(status.st_uid == geteuid())
        }
    }

    @Test("Two stores never mix: what is paired in one is unknown in another")
    func apart() throws {
        let group = try StorePlace(.group), own = try StorePlace(.own)
        try group.open().save(group.record())
        #expect(try own.open().records() == [])
    }

    @Test("The configuration does not tell the store: nothing is opened. The user has none: nothing is paired")
    func nowhere() throws {
        let random = FixedRandom([])
        for create in [false, true] {
            #expect(throws: StorageError.denied(.configuration)) {
                _ = try PairingStore.open(.unusable(.denied(.configuration)), create: create, random: random)
            }
        }
        #expect(try PairingStore.open(.nowhere, create: false, random: random) == nil)
        #expect(throws: StorageError.notFound) { _ = try PairingStore.open(.nowhere, create: true, random: random) }
    }
}
