// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import KanalKit
import Secrets
import TestSupport
import Testing

@Suite("Secrets of one machine, and what every store of them refuses")
struct SharedSecretsTests {
    @Test("Secrets are added, read, changed and deleted; nothing is made before the first, and all is the user's alone")
    func life() async throws {
        let machine = try SecretsMachine(), secrets = try machine.secrets(isOwn: true)
        #expect(try await secrets.items().isEmpty)
        #expect(try await !secrets.hasKey())
        await #expect(throws: SharedSecretsError.notFound) { try await secrets.text("ann") }
        await #expect(throws: SharedSecretsError.notFound) { try await secrets.update("x", "ann") }
        await #expect(throws: SharedSecretsError.notFound) { try await secrets.delete("ann") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.home).isEmpty)
        try await secrets.add("one", "bob")
        try await secrets.add("two", "ann")
        await #expect(throws: SharedSecretsError.duplicate) { try await secrets.add("three", "ann") }
        #expect(try await secrets.items().map(\.account) == ["ann", "bob"])
        try await secrets.update("four", "ann")
        // Another program of the same group.
        let other = try machine.secrets(isOwn: true)
        #expect(try await other.all == ["ann": "four", "bob": "one"])
        #expect(try await other.unreadableFiles() == [])
        try await other.delete("ann")
        await #expect(throws: SharedSecretsError.notFound) { try await secrets.text("ann") }
        try await secrets.add("five", "ann")
        #expect(try await other.text("ann") == "five")
        var kinds: Set<Int> = []
        for case let name as String in try #require(FileManager.default.enumerator(atPath: machine.home)) {
            let attributes = try FileManager.default.attributesOfItem(atPath: machine.home + "/" + name)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode == (attributes[.type] as? FileAttributeType == .typeDirectory ? 0o700 : 0o600), "\(name)")
            kinds.insert(mode)
        }
        #expect(kinds.count == 2)
        #expect(try await machine.secrets("calendar", isOwn: true).items().isEmpty)
    }

    @Test("A machine's own secrets are not in the directory, and have no key to give away")
    func own() async throws {
        let machine = try SecretsMachine(), shared = try await machine.begin(), own = try machine.secrets(isOwn: true)
        try await own.add("secret", "ann")
        #expect(try machine.files.isEmpty)
        #expect(try await shared.items().isEmpty)
        try await shared.add("other", "ann")
        #expect(try await own.text("ann") == "secret")
        #expect(try await shared.text("ann") == "other")
        let reason = SharedSecretsError.invalidArgument("secrets of this machine alone are not shared")
        await #expect(throws: reason) { _ = try await own.key() }
        await #expect(throws: reason) { try await own.join(SharedKey("AAAA")) }
    }

    @Test("Each secret says whether it is synchronised; a name of both kinds is two secrets, of which a call means one")
    func kinds() async throws {
        let machine = try SecretsMachine(), secrets = try await machine.begin()
        let add = { (text: String, synchronised: Bool?) in
            try await secrets.add(SecretBytes(text), service: "server", account: "ann", synchronised: synchronised)
        }
        let text = { (synchronised: Bool?) in
            try await secrets.read(service: "server", account: "ann", synchronised: synchronised) { bytes in
                String(decoding: [UInt8](copying: bytes), as: UTF8.self)
            }
        }
        try await add("here", false)
        #expect(try machine.files.isEmpty)
        // Nothing takes the place of a secret of the other kind that is not there.
        await #expect(throws: SharedSecretsError.notFound) { _ = try await text(nil) }
        await #expect(throws: SharedSecretsError.notFound) { try await secrets.update("x", "ann") }
        await #expect(throws: SharedSecretsError.notFound) { try await secrets.delete("ann") }
        try await add("everywhere", nil)
        #expect(try machine.files.count == 1)
        for kind in [false, true, nil] {
            await #expect(throws: SharedSecretsError.duplicate) { try await add("x", kind) }
        }
        #expect(try await [text(false), text(true), text(nil)] == ["here", "everywhere", "everywhere"])
        let (own, shared) = (try await secrets.items(synchronised: false), try await secrets.items(synchronised: true))
        #expect(own == [SecretItem(service: "server", account: "ann", isSynchronised: false)])
        #expect(shared == [SecretItem(service: "server", account: "ann", isSynchronised: true)])
        #expect(try await secrets.items() == shared && Set(own + shared).count == 2)
        #expect(try await secrets.items(service: "serv*", synchronised: false) == own)
        #expect(try await secrets.items(service: nil, account: "bob", synchronised: false) == [])
        try await secrets.update(SecretBytes("new"), service: "server", account: "ann", synchronised: false)
        #expect(try await [text(false), text(true)] == ["new", "everywhere"])
        #expect(try await machine.secrets(isOwn: true).text("ann") == "new")
        try await secrets.delete(service: "server", account: "ann", synchronised: false)
        await #expect(throws: SharedSecretsError.notFound) { _ = try await text(false) }
        #expect(try await text(true) == "everywhere")

        // Without a directory, and on a machine without the key.
        let reason = SharedSecretsError.invalidArgument("there is no directory for secrets that are synchronised")
        let alone = try machine.secrets(isOwn: true)
        await #expect(throws: reason) { _ = try await alone.items(synchronised: true) }
        await #expect(throws: reason) {
            try await alone.add(SecretBytes("x"), service: "server", account: "ann", synchronised: true)
        }
        let second = try SecretsMachine("second").secrets()
        await #expect(throws: SharedSecretsError.noKey) { try await second.add("x", "ann") }
        try await second.add(SecretBytes("x"), service: "server", account: "ann", synchronised: false)
        #expect(try await second.items(synchronised: false).map(\.account) == ["ann"])
    }

    @Test("Names and values have limits, and everything within them comes back as it was")
    func limits() async throws {
        let machine = try SecretsMachine(), secrets = try machine.secrets(isOwn: true)
        let long = String(repeating: "é", count: 127) + "x"
        for (service, account) in [("", "a"), (long + "x", "a"), ("s", long + "x")] {
            let reason = SharedSecretsError.invalidArgument("a service has 1 to 255 bytes, an account at most 255")
            await #expect(throws: reason) {
                try await secrets.add(SecretBytes("x"), service: service, account: account)
            }
            await #expect(throws: reason) { _ = try await secrets.read(service: service, account: account) }
        }
        // No two of them are one, wherever a service ends.
        let names = [
            (long, long), (long, ""), ("s", ""), ("s", "a"), ("sa", ""), ("s\0", "a"), ("é", ""), ("e\u{301}", ""),
        ]
        for (number, (service, account)) in names.enumerated() {
            try await secrets.add(SecretBytes("\(number)"), service: service, account: account)
        }
        for (number, (service, account)) in names.enumerated() {
            #expect(try await secrets.text(account, service: service) == "\(number)")
        }
        #expect(try await secrets.items().count == names.count)
        for count in [0, 1, 200, 8192] {
            let value = [UInt8](repeating: 7, count: count)
            try await secrets.update(SecretBytes(bytes: value.span), service: "s", account: "a")
            #expect(try await secrets.text("a", service: "s").utf8.elementsEqual(value))
        }
        let value = [UInt8](repeating: 7, count: 8193)
        let reason = SharedSecretsError.invalidArgument("a secret has at most 8192 bytes")
        await #expect(throws: reason) {
            try await secrets.update(SecretBytes(bytes: value.span), service: "s", account: "a")
        }
        for group in ["", ".hidden", "a/b", "ü", String(repeating: "x", count: 65)] {
            #expect(throws: SharedSecretsError.self, "\(group)") { try SharedSecrets(accessGroup: group) }
        }
        #expect(throws: SharedSecretsError.self) { try SharedSecrets(accessGroup: "a", synchronisedThrough: "b") }
    }

    @Test("A directory or key that others can reach is refused, and a user without a home has no secrets")
    func access() async throws {
        let machine = try SecretsMachine(), secrets = try await machine.begin()
        try await secrets.add("secret", "ann")
        let paths = [(machine.shared, 0o750), (machine.local(), 0o701), (machine.local() + "/key", 0o640)]
        for (path, mode) in paths {
            let former = try #require(
                FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let reason = SharedSecretsError.directoryRefused("group or others have access")
            await #expect(throws: reason, "\(path)") { try await secrets.text("ann") }
            await #expect(throws: reason, "\(path)") { try await secrets.add("x", "bob") }
            try FileManager.default.setAttributes([.posixPermissions: former], ofItemAtPath: path)
        }
        #expect(try await secrets.all == ["ann": "secret"])
        let nobody = try SharedSecrets(
            accessGroup: "mail", synchronisedThrough: nil, directories: { UserDirectories.Found() },
            random: SystemRandom())
        await #expect(throws: SharedSecretsError.noHome) { try await nobody.items() }
    }

    @Test("A key that is damaged is not replaced by a new one; without random numbers nothing is written")
    func key() async throws {
        let machine = try SecretsMachine(), secrets = try machine.secrets(isOwn: true)
        try await secrets.add("secret", "ann")
        let none = try machine.secrets(isOwn: true, random: FixedRandom())
        await #expect(throws: SharedSecretsError.failed("there are no random numbers")) {
            try await none.add("x", "bob")
        }
        await #expect(throws: SharedSecretsError.failed("there are no random numbers")) {
            try await none.update("x", "ann")
        }
        #expect(try await secrets.all == ["ann": "secret"])
        let file = URL(filePath: machine.local("mail", "machine") + "/key"), key = try Data(contentsOf: file)
        for damaged in [Data(), key.dropLast(), key + [0], key + Data(count: 10_000)] {
            try damaged.write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            await #expect(throws: SharedSecretsError.self) { try await secrets.items() }
            await #expect(throws: SharedSecretsError.self) { try await secrets.add("x", "bob") }
        }
        try key.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(try await secrets.all == ["ann": "secret"])
    }

    @Test("A lock that another process holds keeps nobody from reading, and ends a change with an error")
    func lock() async throws {
        let machine = try SecretsMachine()
        let first = try await machine.begin()
        try await first.add("secret", "ann")
        let secrets = try machine.secrets(patience: 0)
        let lock = unsafe open(machine.local() + "/.lock", O_RDWR)
        #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        #expect(try await secrets.all == ["ann": "secret"])
        await #expect(throws: SharedSecretsError.busy) { try await secrets.update("x", "ann") }
        await #expect(throws: SharedSecretsError.busy) { try await secrets.delete("ann") }
        close(lock)
        try await secrets.update("x", "ann")
        #expect(try await secrets.text("ann") == "x")
    }

    @Test("Many tasks and programs work on one group at the same time, and nothing is lost")
    func tasks() async throws {
        let machine = try SecretsMachine(), first = try await machine.begin()
        try await first.add("0", "common")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for program in 0..<4 {
                let secrets = try machine.secrets(patience: 60_000)
                for number in 0..<4 {
                    group.addTask {
                        try await secrets.add("\(number)", "\(program) \(number)")
                        try await secrets.update("\(program)", "common")
                        _ = try await secrets.all
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await first.items().count == 17)
        #expect(try machine.files.count == 17)
    }

    @Test("A call that is cancelled before it begins does nothing")
    func cancelled() async throws {
        let secrets = try SecretsMachine().secrets(isOwn: true)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await secrets.add("secret", "ann")
        }
        task.cancel()
        await #expect(throws: SharedSecretsError.cancelled) { try await task.value }
        #expect(try await secrets.items().isEmpty)
    }
}
