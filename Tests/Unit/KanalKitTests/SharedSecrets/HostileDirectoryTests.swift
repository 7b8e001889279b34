// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import TestSupport
import Testing

@Suite("Secrets in a directory that others damage, turn back or fill with files of their own")
struct HostileDirectoryTests {
    @Test("A file that is changed or cut anywhere is damaged, is told of, and concerns no other secret")
    func damaged() async throws {
        let first = try SecretsMachine(), second = try SecretsMachine("second")
        let left = try await first.begin(), right = try await second.join(first)
        try await left.add("one", "ann")
        let name = try #require(try first.files.first), content = try first.content(name)
        try await left.add("two", "bob")
        try second.receive(from: first)
        try second.remove(name)
        #expect(try await right.all == ["bob": "two"])
        let random = Seeded("damaged secrets")
        var changed = (0..<24).map { number in
            var content = content
            content[number < 4 ? [0, 20, 21, 53][number] : random.number(in: 0...content.count - 1)] ^= 1
            return content
        }
        changed +=
            [0, 1, 20, 36, 69, content.count - 1].map { content.prefix($0) } + [content + [0], Data(count: 20_000)]
        for damaged in changed {
            try second.put(damaged, as: name)
            await #expect(throws: SharedSecretsError.damaged) { try await right.text("ann") }
            await #expect(throws: SharedSecretsError.damaged) { try await right.update("x", "ann") }
            await #expect(throws: SharedSecretsError.damaged) { try await right.add("x", "ann") }
            #expect(try await right.all == ["bob": "two"])
            #expect(try await right.unreadableFiles().map(\.name) == [name])
            #expect(try second.content(name) == damaged)
        }
        // A machine that has seen the secret has it still.
        try first.put(changed[7], as: name)
        #expect(try await left.all == ["ann": "one", "bob": "two"])
        try await right.delete("ann")
        #expect(try await right.all == ["bob": "two"])
        let unreadable = try await right.unreadableFiles()
        #expect(unreadable.map(\.name) == [name] && unreadable.allSatisfy(\.isOfThisGroup))
        try first.receive(from: second)
        #expect(try await left.all == ["bob": "two"])
    }

    @Test("Older files, or none, in the place of what a machine has seen change nothing, and it mends the directory")
    func replay() async throws {
        let first = try SecretsMachine(), second = try SecretsMachine("second")
        let left = try await first.begin(), right = try await second.join(first)
        var past: [(name: String, content: Data)] = []
        func keep() throws { for name in try first.files { try past.append((name, first.content(name))) } }
        try await left.add("one", "ann")
        try await left.add("one", "bob")
        try keep()
        try await left.update("two", "ann")
        try keep()
        try await left.delete("bob")
        try second.receive(from: first)
        #expect(try await right.all == ["ann": "two"])
        for replayed in past + [("", Data())] {
            for machine in [first, second] {
                for name in try machine.files { try machine.remove(name) }
                if !replayed.name.isEmpty { try machine.put(replayed.content, as: replayed.name) }
            }
            #expect(try await left.all == ["ann": "two"], "\(replayed.name)")
            #expect(try await right.all == ["ann": "two"], "\(replayed.name)")
            // The directory has it all again: a third machine finds the same there.
            let third = try SecretsMachine("third"), secrets = try await third.join(first)
            try third.receive(from: first)
            #expect(try await secrets.all == ["ann": "two"])
            await #expect(throws: SharedSecretsError.notFound) { try await secrets.text("bob") }
        }
    }

    @Test("Files that are no secrets are left alone, whatever they are, and a copy is as good as its original")
    func foreign() async throws {
        let machine = try SecretsMachine(), secrets = try await machine.begin(), path = machine.shared
        try await secrets.add("one", "ann")
        let name = try #require(try machine.files.first)
        try machine.put(Data("text".utf8), as: "README")
        try machine.put(Data(), as: "empty.secret")
        try machine.put(Data(repeating: 1, count: 100_000), as: "large")
        try FileManager.default.createDirectory(atPath: path + "/folder", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: path + "/" + name)
        #expect(unsafe mkfifo(path + "/pipe", 0o600) == 0)
        let foreign = ["README", "empty.secret", "folder", "large", "link", "pipe"]
        try machine.put(machine.content(name), as: "x.sync-conflict-20260101-120000-ABCDEFG.secret")
        #expect(try await secrets.all == ["ann": "one"])
        #expect(try await secrets.unreadableFiles().map(\.name).sorted() == foreign)
        #expect(try await secrets.unreadableFiles().allSatisfy { !$0.isOfThisGroup })
        let second = try SecretsMachine("second"), right = try await second.join(machine)
        try second.put(machine.content(name), as: "é~1")
        #expect(try await right.all == ["ann": "one"])
        try await right.delete("ann")
        #expect(try await right.all == [:])
        #expect(try Set(machine.files).isSuperset(of: foreign))
    }

    @Test("A directory that is gone is not made again, and one that comes back empty is filled again")
    func gone() async throws {
        let machine = try SecretsMachine(), secrets = try await machine.begin()
        try await secrets.add("one", "ann")
        try FileManager.default.removeItem(atPath: machine.shared)
        await #expect(throws: SharedSecretsError.directoryMissing) { try await secrets.items() }
        await #expect(throws: SharedSecretsError.directoryMissing) { try await secrets.add("two", "bob") }
        await #expect(throws: SharedSecretsError.directoryMissing) { try await secrets.makeKey() }
        #expect(!FileManager.default.fileExists(atPath: machine.shared))
        try FileManager.default.createDirectory(
            atPath: machine.shared, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        #expect(try await secrets.all == ["ann": "one"])
        #expect(try machine.files.count == 1)
    }

    // MARK: Any order

    @Test("Three machines have the same in the end, whatever they do and however old the files are that reach them")
    func anyOrder() async throws {
        let random = Seeded("replicated secrets")
        for round in 0..<6 {
            let machines = try ["first", "second", "third"].map { try SecretsMachine($0, random: random) }
            let first = machines[0]
            _ = try await first.begin()
            for machine in machines.dropFirst() { _ = try await machine.join(first) }
            let secrets = try machines.map { try $0.secrets() }
            // In every other round a name is used only once: then no secret that was deleted anywhere is left.
            let namesAgain = round % 2 == 1
            var used = 0, written: [String: Set<String>] = [:], deleted: Set<String> = []
            var past: [(name: String, content: Data)] = []
            for step in 0..<40 {
                let number = random.number(in: 0...2), machine = machines[number], store = secrets[number]
                let present = try await store.items().map(\.account)
                let chosen = present.isEmpty ? nil : present[random.number(in: 0...present.count - 1)]
                switch (random.number(in: 0...7), chosen) {
                case (0, _), (1, _), (2, nil), (3, nil):
                    used += 1
                    let account = namesAgain ? "\(random.number(in: 0...3))" : "\(used)"
                    guard !present.contains(account) else { break }
                    try await store.add("\(step)", account)
                    written[account, default: []].insert("\(step)")
                case (2, let account?):
                    try await store.update("\(step)", account)
                    written[account, default: []].insert("\(step)")
                case (3, let account?):
                    try await store.delete(account)
                    deleted.insert(account)
                case (4, _) where !past.isEmpty:
                    let file = past[random.number(in: 0...past.count - 1)]
                    try machine.put(file.content, as: random.number(in: 0...3) == 0 ? "copy \(step)" : file.name)
                case (5, _):
                    if let name = try machine.files.first { try machine.remove(name) }
                default:
                    guard let file = past.last else { break }
                    try machine.put(file.content, as: file.name)
                }
                for name in try machine.files { try past.append((name, machine.content(name))) }
            }
            try await synchronise(machines, secrets)
            let all = try await secrets[0].all
            for store in secrets { #expect(try await store.all == all, "round \(round)") }
            for (account, value) in all {
                #expect(written[account]?.contains(value) == true)
                #expect(namesAgain || !deleted.contains(account), "round \(round)")
            }
            if !namesAgain { #expect(all.count == written.count - deleted.count, "round \(round)") }
        }
    }

    /// Copies the files of each machine to all others, as a synchroniser does that has time: those that the machine
    /// writes, and those that no machine writes, which may be the only ones with a state that counts.
    private func synchronise(_ machines: [SecretsMachine], _ secrets: [SharedSecrets]) async throws {
        for _ in 0..<3 {
            for store in secrets { _ = try await store.items() }
            let writers = machines.compactMap(\.writer)
            for source in machines {
                let others = writers.filter { $0 != source.writer }
                let copied = try source.files.filter { name in !others.contains { name.contains($0) } }
                for target in machines where target !== source {
                    if let writer = source.writer {
                        for name in try target.files where name.contains(writer) { try target.remove(name) }
                    }
                    for name in copied { try target.put(source.content(name), as: name) }
                }
            }
        }
    }
}
