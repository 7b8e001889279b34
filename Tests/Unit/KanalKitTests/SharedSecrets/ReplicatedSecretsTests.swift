// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import TestSupport
import Testing

@Suite("Secrets of several machines, in a directory that is replicated")
struct ReplicatedSecretsTests {
    @Test("A second machine needs the group's key, and has the secrets, their changes and deletions as files arrive")
    func journey() async throws {
        let first = try SecretsMachine(), second = try SecretsMachine("second")
        let left = try await first.begin(), right = try second.secrets()
        try await left.add("one", "ann")
        #expect(try await !right.hasKey())
        await #expect(throws: SharedSecretsError.noKey) { try await right.items() }
        await #expect(throws: SharedSecretsError.noKey) { try await right.add("x", "bob") }
        await #expect(throws: SharedSecretsError.noKey) { _ = try await right.key() }
        _ = try await second.join(first)
        #expect(try await right.hasKey())
        #expect(try await right.items().isEmpty)
        try second.receive(from: first)
        #expect(try await right.all == ["ann": "one"])
        await #expect(throws: SharedSecretsError.duplicate) { try await right.add("two", "ann") }
        try await right.update("two", "ann")
        try await right.add("three", "bob")
        try first.receive(from: second)
        #expect(try await left.all == ["ann": "two", "bob": "three"])
        try await left.delete("ann")
        try second.receive(from: first)
        #expect(try await right.all == ["bob": "three"])
        // A machine has no older file of its own any more, once it has seen a deletion.
        let writer = try #require(second.writer)
        #expect(try second.files.filter { $0.contains(writer) }.count == 1)
        try await right.add("four", "ann")
        try first.receive(from: second)
        #expect(try await left.all == ["ann": "four", "bob": "three"])
    }

    @Test("A key travels as text in whatever case and spacing; a mistyped one, and that of another group, is refused")
    func key() async throws {
        let first = try SecretsMachine(), left = try await first.begin()
        let text = try await left.key().string
        #expect(text.count == 79 && text.utf8.filter { $0 == 0x2D }.count == 15)
        try await left.join(SharedKey(text))
        let right = try SecretsMachine("second").secrets()
        var wrong = ["", "AAAA", text + "A", String(text.dropLast()), text + "\u{E9}", text.replacing("-", with: "_")]
        for place in [0, 39, 78] {
            var characters = Array(text)
            characters[place] = characters[place] == "Q" ? "R" : "Q"
            wrong.append(String(characters))
        }
        for text in wrong {
            await #expect(throws: SharedSecretsError.keyMalformed, "\(text.count)") {
                try await right.join(SharedKey(text))
            }
        }
        let other = try SecretsMachine("other").secrets("calendar")
        await #expect(throws: SharedSecretsError.keyMalformed) { try await other.join(SharedKey(text)) }
        #expect(try await !right.hasKey())
        try await right.join(SharedKey(" " + text.lowercased().replacing("-", with: " ") + "\n"))
        #expect(try await right.key().string == text)
    }

    @Test("A machine with secrets under a key of its own keeps it; without secrets it takes another")
    func otherKey() async throws {
        let first = try SecretsMachine(), second = try SecretsMachine("second")
        let left = try await first.begin(), right = try await second.begin()
        try await left.add("one", "ann")
        try await right.add("two", "bob")
        try second.receive(from: first)
        // A file sealed under another key is not a secret of this machine, and stays.
        #expect(try await right.all == ["bob": "two"])
        #expect(try await right.unreadableFiles().map(\.isOfThisGroup) == [false])
        let key = try await left.key().string
        await #expect(throws: SharedSecretsError.otherKey) { try await right.join(SharedKey(key)) }
        #expect(try await right.all == ["bob": "two"])
        try await right.delete("bob")
        try await right.join(SharedKey(key))
        #expect(try await right.all == ["ann": "one"])
    }

    @Test("Changes at the same time become the same value everywhere, in whatever order files arrive")
    func conflict() async throws {
        for isLeftFirst in [true, false] {
            let first = try SecretsMachine(), second = try SecretsMachine("second")
            let left = try await first.begin(), right = try await second.join(first)
            try await left.add("old", "ann")
            try second.receive(from: first)
            try await left.update("left", "ann")
            try await right.update("right", "ann")
            try await left.add("added on the left", "bob")
            try await right.add("added on the right", "bob")
            for isRight in [isLeftFirst, !isLeftFirst] {
                // Files from elsewhere come first in the directory.
                if isRight {
                    try second.receive(from: first, prefix: "0-")
                } else {
                    try first.receive(from: second, prefix: "0-")
                }
                _ = try await isRight ? right.items() : left.items()
            }
            try second.receive(from: first)
            let value = try await left.all
            #expect(try await right.all == value)
            #expect(["left", "right"].contains(value["ann"]))
            #expect(value.count == 2)
            // The later change counts, made by a machine that has seen both.
            try await right.update("after", "ann")
            try first.receive(from: second)
            #expect(try await left.text("ann") == "after")
        }
    }

    @Test("A deletion wins over any number of changes that do not know of it, not over a secret that is added after it")
    func deletion() async throws {
        for isDeletionFirst in [true, false] {
            let first = try SecretsMachine(), second = try SecretsMachine("second")
            let left = try await first.begin(), right = try await second.join(first)
            try await left.add("old", "ann")
            try second.receive(from: first)
            #expect(try await right.all == ["ann": "old"])
            try await left.delete("ann")
            for number in 0..<5 { try await right.update("\(number)", "ann") }
            if isDeletionFirst {
                try second.receive(from: first)
                #expect(try await right.all == [:])
                await #expect(throws: SharedSecretsError.notFound) { try await right.update("x", "ann") }
            }
            try first.receive(from: second)
            #expect(try await left.all == [:])
            try second.receive(from: first)
            #expect(try await right.all == [:])
            let old = try first.files.map { try (name: $0, content: first.content($0)) }
            try await right.add("new", "ann")
            try first.receive(from: second)
            for file in old { try first.put(file.content, as: "copy " + file.name) }
            #expect(try await left.all == ["ann": "new"])
        }
    }

    @Test("Secrets of one access group are closed to another, in one directory and even with the other's key file")
    func groups() async throws {
        let machine = try SecretsMachine()
        let mail = try await machine.begin(), calendar = try await machine.begin("calendar")
        try await mail.add("of mail", "ann")
        try await calendar.add("of calendar", "ann")
        try await calendar.delete("ann")
        #expect(try await mail.all == ["ann": "of mail"])
        #expect(try await calendar.items().isEmpty)
        await #expect(throws: SharedSecretsError.notFound) { try await calendar.text("ann") }
        #expect(try await calendar.unreadableFiles().map(\.isOfThisGroup) == [false])
        // A group that is given the key and the seen states of another.
        let other = try await machine.begin("notes")
        try FileManager.default.removeItem(atPath: machine.local("notes"))
        try FileManager.default.copyItem(atPath: machine.local(), toPath: machine.local("notes"))
        #expect(try await other.hasKey())
        #expect(try await other.items().isEmpty)
        await #expect(throws: SharedSecretsError.notFound) { try await other.text("ann") }
        #expect(try await other.unreadableFiles().count == 2)
    }

    @Test("Who has the directory learns neither secrets nor names, nor how long they are")
    func sealed() async throws {
        let machine = try SecretsMachine(), secrets = try await machine.begin()
        try await secrets.add("plain secret", "plain account")
        try await secrets.add("s", "a")
        try await secrets.update("plain secret", "plain account")
        try await secrets.add("x", "deleted")
        try await secrets.delete("deleted")
        let key = try Data(contentsOf: URL(filePath: machine.local() + "/key"))
        #expect(try machine.files.count == 3)
        for case let name as String in try #require(FileManager.default.enumerator(atPath: machine.home)) {
            #expect(!["server", "plain"].contains { name.contains($0) })
            guard let content = FileManager.default.contents(atPath: machine.home + "/" + name) else { continue }
            for plain in ["plain secret", "plain account", "server", "deleted"] {
                #expect(content.range(of: Data(plain.utf8)) == nil, "\(plain) is in \(name)")
            }
            #expect(name.hasSuffix("/key") || content.range(of: key) == nil)
        }
        #expect(try Set(machine.files.map { try machine.content($0).count }).count == 1)
    }
}
