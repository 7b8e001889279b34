// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import SecureChannel
import TestSupport
import Testing
import Token

@Suite("A member of a group who holds the lock of its store")
struct HeldStoreTests {
    private let reader: EmulatedReader
    private let folder = Folder()
    private let group: String

    init() throws {
        reader = try EmulatedReader(.bt, passwords: [Application.password])
        group = folder.path + "/group"
        try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
        #expect(unsafe chmod(group, 0o2770) == 0)
    }

    private func member(_ journal: Journal = Journal()) -> Application {
        let group = group
        return Application(reader, store: folder) {
            $0.pairings = .group(group)
            $0.storePatience = 300
            $0.log = journal.logger
        }
    }

    private func hold() throws -> CInt {
        let number = unsafe open(group + "/.lock", O_RDWR | O_CREAT, 0o660)
        #expect(number >= 0 && flock(number, LOCK_EX) == 0)
        return number
    }

    @Test("keeps nobody from opening a session, nor from activating where the keys are there")
    func prepared() throws {
        try member().activate()
        let lock = try hold()
        defer { close(lock) }
        try FileManager.default.removeItem(atPath: group + "/notes")
        let start = ContinuousClock.now
        _ = try member().open()
        // The notes are missing, and making them takes the lock.
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) { try member().activate() }
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test("has an activation end with an error that tells why, with no try spent and the token free all the time")
    func unprepared() throws {
        let lock = try hold()
        defer { close(lock) }
        let journal = Journal()
        let transactions = { reader.transactions }
        let before = transactions()
        _ = try member().library.token(in: 0, evicting: true)
        let each = transactions() - before
        let start = ContinuousClock.now
        let application = member(journal)
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) { try application.activate() }
        #expect(ContinuousClock.now - start < .seconds(3))
        #expect(journal.messages.contains { $0.contains(group) && $0.hasSuffix("another process holds the lock") })
        // One transaction finds the channel, one reads its offers. No transaction was begun to wait in.
        #expect(transactions() - before - each == 2)
        #expect(reader.count(of: 0x86) == 0)
        // An application with a store of its own is not delayed.
        let own = Application(reader, store: Folder())
        try own.activate()
        _ = try own.open()
    }
}
