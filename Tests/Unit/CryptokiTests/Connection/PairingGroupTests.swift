// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import CSystem
import Configuration
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import SecureChannel
import Secrets
import TestSupport
import Testing
import Token
import Tokens

/// The four cases of the vendor's guide to groups that share pairings, for Unix groups.
@Suite("Applications that share pairings through a group")
struct PairingGroupTests {
    private let reader: EmulatedReader
    private let folder = Folder()

    init() throws { reader = try EmulatedReader(.bt, passwords: [Application.password]) }

    /// An application with this kanal.conf, on a machine with its groups in the folder.
    private func application(_ text: String) -> Application {
        let configuration = Configuration(system: Array(text.utf8), user: nil, program: "test")
        return Application(reader, store: folder) {
            $0.pairings = configuration.location(
                data: folder.path + "/home", home: folder.path, groups: folder.path + "/groups")
        }
    }

    private func makeGroup(_ name: String, mode: mode_t = 0o2770) throws {
        let path = folder.path + "/groups/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // Open to all regardless of the process's umask, which other tests change at the same time.
        #expect(unsafe chmod(folder.path + "/groups", 0o755) == 0)
        #expect(unsafe chmod(path, mode) == 0)
    }

    /// The token is listed and identifies itself; it can be neither activated nor opened, and no password is spent.
    private func expectRefusal(_ application: Application) throws {
        let token = try application.library.token(in: 0, evicting: true)
        #expect(token.info.serial == reader.card.serial)
        #expect(!token.isActivated)
        let exchanges = reader.count(of: 0x86)
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) { try application.activate() }
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) { _ = try application.open() }
        #expect(reader.count(of: 0x86) == exchanges)
    }

    @Test("Case 1: a group is configured and not permitted: activation fails, and the channel cannot open")
    func notPermitted() throws {
        try expectRefusal(application("group = staff"))
        try makeGroup("lax", mode: 0o2777)
        try expectRefusal(application("group = lax"))
        // A pairing of another application does not help either.
        try application("").activate()
        try expectRefusal(application("group = staff"))
    }

    @Test("Case 2: nothing is configured: it works, for this user's programs")
    func unconfigured() throws {
        try application("").activate()
        _ = try application("").open()
        try makeGroup("staff")
        #expect(throws: CKError.functionNotSupported) { _ = try application("group = staff").open() }
    }

    @Test("Case 3: a group is configured and permitted: every member works after one member's activation")
    func permitted() throws {
        try makeGroup("staff")
        try application("group = staff").activate()
        _ = try application("group = staff").open()
        #expect(throws: CKError.functionNotSupported) { _ = try application("").open() }
        #expect(throws: CKError.functionNotSupported) { _ = try application("application = own").open() }
    }

    @Test("Case 4: of several groups the first wins, also where only another one is permitted")
    func first() throws {
        try makeGroup("second")
        try application("group = second").activate()
        try expectRefusal(application("group = first, second"))
        try makeGroup("first")
        try application("group = first, second").activate()
        _ = try application("group = first").open()
    }

    @Test(
        "Who is outside of the administrator's group keeps tokens without a channel; those with one stay closed",
        .needsRoot)
    func outsider() throws {
        try makeGroup("staff")
        #expect(unsafe chown(folder.path + "/groups/staff", 0, 54_321) == 0)
        #expect(unsafe chmod(folder.path + "/groups/staff", 0o2770) == 0)
        #expect(unsafe chmod(folder.path, 0o755) == 0)
        act_as(10_003, 10_003)
        defer { act_as(0, 0) }
        let plain = try EmulatedReader(.usb)
        let journal = Journal()
        let configuration = Configuration(system: Array("group = staff".utf8), user: nil, program: "test")
        for _ in 0..<2 {
            let application = Application(plain, store: folder) {
                $0.pairings = configuration.location(data: nil, home: nil, groups: folder.path + "/groups")
                $0.log = journal.logger
            }
            #expect(throws: CKError.functionNotSupported) { try application.activate() }
            do { try application.logIn(application.open()) } catch {
                Issue.record("\(error), after: \(journal.messages)")
            }
        }
        #expect(journal.messages.contains { $0.hasSuffix("the user is not in the group that shares it") })
        // A token with a channel is refused, and so is a directory that is not as the administrator makes it.
        try expectRefusal(application("group = staff"))
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) {
            try Application(plain, store: folder) { $0.pairings = .group(folder.path + "/groups/none") }.open()
        }
    }

    @Test("The log names the directory that cannot be used, and why")
    func log() throws {
        let journal = Journal()
        try makeGroup("lax", mode: 0o2777)
        let path = folder.path + "/groups/lax"
        let application = Application(reader, store: folder) {
            $0.pairings = .group(path)
            $0.log = journal.logger
        }
        try expectRefusal(application)
        #expect(journal.messages.contains("the pairings in \(path) cannot be used: group or others have access"))
    }

    @Test("The log tells of a record that cannot be used, and of a place that is not known", arguments: [true, false])
    func logOfFiles(_ isKnown: Bool) throws {
        let journal = Journal()
        try Application(reader, store: folder).activate()
        let records = folder.path + "/tokens"
        let names = try FileManager.default.contentsOfDirectory(atPath: records)
        #expect(unsafe chmod(records + "/" + (try #require(names.first)), 0o644) == 0)
        let closed = Configuration(system: Array("no setting".utf8), user: nil, program: "test")
        let application = Application(reader, store: folder) {
            if !isKnown { $0.pairings = closed.location(data: nil, home: nil) }
            $0.log = journal.logger
        }
        try expectRefusal(application)
        #expect(
            journal.messages.contains(
                isKnown
                    ? "a file of the pairings in \(folder.path) cannot be used: group or others have access"
                    : "the pairings cannot be used: kanal.conf has an error"))
    }

    @Test("An error in kanal.conf closes everything but lists")
    func closed() throws {
        try expectRefusal(application("minimum_profile = best"))
    }
}

@Suite("Machines of one user that share pairings through a synchroniser")
struct SynchronisedMachinesTests {
    private let reader: EmulatedReader
    private let folder = Folder()

    init() throws { reader = try EmulatedReader(.bt, passwords: [Application.password]) }

    /// An application on a machine that has the key of the seals.
    private func machine(_ name: String) throws -> (application: Application, location: PairingStore.Location) {
        let (own, shared) = (folder.path + "/" + name, folder.path + "/" + name + "-shared")
        let closed: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        for path in [own, shared] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: closed)
        }
        let key = own + "/key"
        _ = FileManager.default.createFile(
            atPath: key, contents: Data(repeating: 7, count: 32), attributes: [.posixPermissions: 0o600])
        let location = PairingStore.Location.synchronised(shared, local: own)
        return (Application(reader, store: folder) { $0.pairings = location }, location)
    }

    private func replicate(from source: String, to target: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/\(source)-shared")
        where name.hasSuffix(".pairing") {
            try FileManager.default.copyItem(
                atPath: folder.path + "/\(source)-shared/\(name)", toPath: folder.path + "/\(target)-shared/\(name)")
        }
    }

    @Test("Two machines pair before they hear of each other: when the younger pairing is gone, the older one is used")
    func bothPaired() throws {
        let (first, second) = (try machine("first"), try machine("second"))
        try first.application.activate()
        first.application.library.closeEverything()
        // Times of creation are whole seconds.
        Thread.sleep(forTimeInterval: 1.1)
        try second.application.activate()
        try replicate(from: "second", to: "first")

        let store = try #require(try PairingStore.open(first.location, create: false, random: SystemRandom()))
        let serial = reader.card.serial
        let records = try store.records(serial: serial, profile: Profile.modern)
        #expect(records.count == 2)
        let channel = try SecureChannel.open(
            over: reader.connect(to: EmulatedReader.name), record: try #require(records.first), store: store,
            instance: Instance(random: SystemRandom()), random: SystemRandom())
        try channel.unpair(index: 0xFF)

        _ = try machine("first").application.open()
        #expect(throws: CKError.functionNotSupported) { _ = try second.application.open() }
    }

    @Test("A removal on one machine reaches the others, and no older copy brings the pairing back")
    func removal() throws {
        let (first, second) = (try machine("first"), try machine("second"))
        try first.application.activate()
        try replicate(from: "first", to: "second")
        _ = try second.application.open()
        second.application.library.closeEverything()

        let pairings = folder.path + "/first-shared"
        try FileManager.default.copyItem(atPath: pairings, toPath: folder.path + "/old-shared")
        try first.application.library.removePairings(withToken: reader.card.serial)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/second-shared") {
            try FileManager.default.removeItem(atPath: folder.path + "/second-shared/" + name)
        }
        try replicate(from: "first", to: "second")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/old-shared") {
            try FileManager.default.copyItem(
                atPath: folder.path + "/old-shared/" + name, toPath: folder.path + "/second-shared/old " + name)
        }
        #expect(try second.application.library.pairedTokens() == [])
        #expect(throws: CKError.functionNotSupported) { _ = try second.application.open() }
        #expect(throws: CKError.functionNotSupported) { _ = try first.application.open() }
    }
}
