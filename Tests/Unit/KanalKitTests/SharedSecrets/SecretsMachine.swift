// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import KanalKit
import Secrets

/// A user's machine, with its own copy of the directory that is replicated.
final class SecretsMachine: Sendable {
    let home = FileManager.default.temporaryDirectory.appending(path: "kanal-secrets-\(UUID().uuidString)").path
    let name: String
    private let random: any RandomSource

    init(_ name: String = "first", random: any RandomSource = SystemRandom()) throws {
        self.name = name
        self.random = random
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: home) }

    /// The replicated directory.
    var shared: String { home + "/replicated" }
    /// The group's local directory.
    func local(_ group: String = "mail", _ store: String = "synchronised") -> String {
        home + "/data/kanal/secrets/\(group)/\(store)"
    }

    /// The secrets of a group; with a directory, unless they are the machine's own.
    func secrets(
        _ group: String = "mail", isOwn: Bool = false, random: (any RandomSource)? = nil, patience: Int = 5000
    ) throws -> SharedSecrets {
        try SharedSecrets(
            accessGroup: group, synchronisedThrough: isOwn ? nil : "~/replicated",
            // The machine and its files stay as long as its secrets are in use.
            directories: { [self] in UserDirectories.Found(home: home, data: home + "/data") },
            random: random ?? self.random,
            patience: patience)
    }

    /// As on the first machine.
    func begin(_ group: String = "mail") async throws -> SharedSecrets {
        let secrets = try secrets(group)
        try await secrets.makeKey()
        return secrets
    }

    /// As on all others.
    func join(_ other: SecretsMachine, _ group: String = "mail") async throws -> SharedSecrets {
        let key = try await other.secrets(group).key()
        let secrets = try secrets(group)
        try await secrets.join(key)
        return secrets
    }

    // MARK: The replicated directory

    var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: shared).filter { !$0.hasPrefix(".") }.sorted()
        }
    }

    func content(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: shared + "/" + name)) }

    /// Puts a file into the directory, as a synchroniser does.
    func put(_ content: Data, as name: String) throws {
        try content.write(to: URL(filePath: shared + "/" + name))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: shared + "/" + name)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: shared + "/" + name) }

    /// Takes over all files of another machine, perhaps under other names.
    func receive(from other: SecretsMachine, prefix: String = "") throws {
        for name in try other.files { try put(other.content(name), as: prefix + name) }
    }

    /// The identifier in the names of this machine's files; nil before it has written one.
    var writer: String? {
        try? Data(contentsOf: URL(filePath: local() + "/machine")).map { String(format: "%02x", $0) }.joined()
    }
}

extension SharedSecrets {
    func text(_ account: String, service: String = "server") async throws -> String {
        try await read(service: service, account: account) { bytes in
            String(decoding: [UInt8](copying: bytes), as: UTF8.self)
        }
    }

    /// Adds, updates and deletes under one service.
    func add(_ text: String, _ account: String) async throws {
        try await add(SecretBytes(text), service: "server", account: account)
    }

    func update(_ text: String, _ account: String) async throws {
        try await update(SecretBytes(text), service: "server", account: account)
    }

    func delete(_ account: String) async throws { try await delete(service: "server", account: account) }

    /// All accounts of the service, with their values.
    var all: [String: String] {
        get async throws {
            var all: [String: String] = [:]
            for item in try await items() { all[item.account] = try await text(item.account) }
            return all
        }
    }
}

extension SharedKey {
    var string: String { withText { String(decoding: [UInt8](copying: $0), as: UTF8.self) } }
}
