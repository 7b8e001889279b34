// SPDX-License-Identifier: Apache-2.0
import Foundation
import SecureChannel
import Secrets
import Storage
import TestSupport
import Testing

@Suite("A store whose lock another process holds, and does not let go")
struct HeldLockTests {
    /// Takes the lock of a directory.
    ///
    /// - Returns: The descriptor with which it goes when it is closed.
    private func hold(_ directory: String) throws -> CInt {
        let number = unsafe open(directory + "/.lock", O_RDWR | O_CREAT, 0o600)
        guard number >= 0, flock(number, LOCK_EX) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return number
    }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    @Test(
        "Nothing that is done while the token is held waits for it, in a store that is prepared",
        arguments: StorePlace.Kind.allCases)
    func prepared(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind), host = try Host()
        let store = try place.open()
        try store.prepare(for: .classic, random: FixedRandom([]))
        try store.save(place.record(token: 1))
        let lock = try hold(place.own)
        defer { close(lock) }
        let time = try seconds {
            let open = try #require(
                try PairingStore.open(place.location, create: false, random: SystemRandom()))
            try store.prepare(for: .classic, random: FixedRandom([]))
            try store.save(place.record())
            try store.markUsed(place.record(), label: "used")
            #expect(try open.record(serial: host.capabilities.serial, profile: .classic) == place.record())
            #expect(try open.records().map(\.label).contains("used"))
            try store.save(place.updated(place.record()))
            try store.remove(place.record())
        }
        #expect(time < 1)
    }

    @Test("Preparing a store gives up after a while, and says why", arguments: StorePlace.Kind.allCases)
    func unprepared(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind, key: false)
        _ = try place.open()
        let lock = try hold(place.own)
        defer { close(lock) }
        let store = try #require(
            try PairingStore.open(place.location, create: true, random: SystemRandom(), patience: 300))
        let time = seconds {
            #expect(throws: ChannelError.storage(.locked)) {
                try store.prepare(for: .classic, random: SystemRandom())
            }
        }
        #expect(time >= 0.3 && time < 3)
    }

    @Test("A member who holds the lock and takes the notes away keeps nobody from a token")
    func withoutNotes() throws {
        let place = try StorePlace(.group)
        let store = try place.open()
        try store.save(place.record())
        let lock = try hold(place.own)
        defer { close(lock) }
        try FileManager.default.moveItem(atPath: place.own + "/notes", toPath: place.own + "/taken")
        let time = try seconds {
            try store.markUsed(place.record(), label: "used")
            #expect(try place.open(create: false).records().count == 1)
            #expect(throws: StorageError.locked) {
                try PairingStore.open(place.location, create: true, random: SystemRandom(), patience: 200)
            }
        }
        #expect(time < 1)
    }

    @Test("The lock is waited for while its holder may let it go")
    func patient() throws {
        let place = try StorePlace(.own, key: false)
        let store = try place.open()
        let lock = try hold(place.own)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.2)
            close(lock)
        }
        try store.prepare(for: .classic, random: SystemRandom())
    }
}
