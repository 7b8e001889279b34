// SPDX-License-Identifier: Apache-2.0

import GOST
package import Secrets
import Storage

/// Secrets of a user's programs, by service and account, in one access group: of this machine alone, or in a directory
/// that is replicated between machines.
///
/// Each secret is a sealed file of its own, as a pairing of a synchronised store is. In a replicated directory each
/// machine has its own file for it, so that no file has two writers, and a deletion leaves a tombstone. All machines
/// choose the same one of the states that they find (`SecretState.supersedes`), in whatever order these come.
///
/// A machine keeps a copy of the state of each secret that it has seen. So an older or missing file has no effect: the
/// machine puts its copy into the directory again.
package struct SecretStore: Sendable {
    /// The name of a secret.
    package struct Name: Sendable, Hashable {
        package let service: String
        package let account: String

        package init(service: String, account: String) {
            self.service = service
            self.account = account
        }
    }

    /// The place of a group's secrets. `local` is the store's own directory on this machine, with its key.
    package enum Place: Sendable {
        case machine(local: String)
        case synchronised(String, local: String)
    }

    /// Why something was not done.
    package enum Failure: Error, Sendable, Equatable {
        /// There is a secret of this name.
        case duplicate
        /// The secret does not exist.
        case notFound
        /// The secret exists, and none of its files can be read.
        case damaged
        /// The group has no key on this machine.
        case noKey
        /// The key's file is damaged.
        case keyDamaged
        /// The group has a different key on this machine, and secrets under it.
        case otherKey
        /// The text is not a key of this group.
        case keyMalformed
        /// There are more files than can be looked through, or as many secrets as there may be.
        case tooMany
        /// The directories cannot be used.
        case store(ChannelError)
    }

    /// The greatest value, in bytes.
    package static let valueLimit = 8192
    /// The greatest number of secrets in a group, deleted ones included.
    package static let countLimit = 4096
    /// The greatest number of files in a directory, of all groups and machines.
    static let fileLimit = 16_384

    let directory: SealedDirectory
    /// The states that this machine has seen; nil in a store of this machine alone.
    let memory: Directory?
    let group: [UInt8]

    /// Opens the store of an access group.
    ///
    /// - Parameters:
    ///   - create: Whether to make missing parts. A replicated directory that is gone after it was in use is never
    ///     made.
    ///   - patience: The milliseconds to wait for a lock that another process holds.
    /// - Returns: nil if it does not exist and is not to be created.
    package static func open(
        _ place: Place, group: String, create: Bool, random: any RandomSource, patience: Int = Directory.patience
    ) throws(Failure) -> SecretStore? {
        let group = Array(group.utf8), kind = SealedFile.Kind.secret(of: group)
        return try filing { () throws(StorageError) in
            switch place {
            case .machine(let local):
                let directory = try SealedDirectory.open(
                    local + "/items", local: local, kind: kind, create: create, random: random, patience: patience)
                return directory.map { SecretStore(directory: $0, memory: nil, group: group) }
            case .synchronised(let path, let local):
                let directory = try SealedDirectory.open(
                    path, local: local, kind: kind, create: create, random: random, patience: patience)
                guard let directory else { return nil }
                let memory = try directory.local.subdirectory("seen")
                return SecretStore(directory: directory, memory: memory, group: group)
            }
        }
    }

    /// Whether it is of this machine alone.
    package var isOfMachine: Bool { memory == nil }

    // MARK: Secrets

    /// All secrets, sorted by service and account.
    package func names() throws(Failure) -> [Name] {
        let key = try key()
        return try settled(key, only: nil).states.values.compactMap(\.name).sorted {
            ($0.service, $0.account) < ($1.service, $1.account)
        }
    }

    /// All secrets, each with a mark that differs from the marks of its other states.
    package func marks() throws(Failure) -> [Name: [UInt8]] {
        let key = try key()
        var marks: [Name: [UInt8]] = [:]
        for state in try settled(key, only: nil).states.values {
            if let name = state.name { marks[name] = state.salt }
        }
        return marks
    }

    /// The value of a secret.
    package func read(_ name: Name) throws(Failure) -> Secret {
        let key = try key()
        let identity = name.identity(key)
        let view = try settled(key, only: identity)
        guard let state = view.states[identity] else { throw view.unsound.contains(identity) ? .damaged : .notFound }
        guard let secret = state.secret(key, kind: directory.kind) else { throw .notFound }
        return secret
    }

    /// Adds a secret. In a store of this machine alone, the first one makes the key.
    package func add(_ value: borrowing Secret, _ name: Name) throws(Failure) {
        if memory == nil { try makeKey() }
        try change(name, value) { (former, isDamaged) throws(Failure) in
            guard let former else {
                guard !isDamaged else { throw .damaged }
                let count = try filing { () throws(StorageError) in try (memory ?? directory.shared).names().count }
                guard count < SecretStore.countLimit else { throw .tooMany }
                return SecretState.Version()
            }
            guard former.name == nil else { throw .duplicate }
            guard former.version.generation < .max else { throw .tooMany }
            return SecretState.Version(generation: former.version.generation + 1)
        }
    }

    /// Changes the value of a secret.
    package func update(_ value: borrowing Secret, _ name: Name) throws(Failure) {
        try change(name, value) { (former, isDamaged) throws(Failure) in
            guard let former, former.name != nil else { throw former == nil && isDamaged ? .damaged : .notFound }
            return former.version.next
        }
    }

    /// Deletes a secret on all machines, a damaged one too.
    package func delete(_ name: Name) throws(Failure) {
        try change(name, Secret(count: 0), isDeletion: true) { (former, isDamaged) throws(Failure) in
            guard let former else {
                guard isDamaged else { throw .notFound }
                return SecretState.Version()
            }
            guard former.name != nil else { throw .notFound }
            return former.version.next
        }
    }

    /// The files of the directory that cannot be read, and whether they are known to be of this group: damaged ones,
    /// and other groups' secrets, which only their key can distinguish.
    package func unreadable() throws(Failure) -> [(file: String, isOfGroup: Bool)] {
        let key = try key()
        let view = try settled(key, only: nil)
        return view.unreadable.map { file in
            (file.name, file.identities.contains { view.states[$0] != nil })
        }
    }

    /// Writes the next state of a secret, under the lock.
    ///
    /// - Parameters:
    ///   - value: Ignored in a deletion.
    ///   - next: Receives the present state, and whether there are files of it that cannot be read.
    private func change(
        _ name: Name, _ value: borrowing Secret, isDeletion: Bool = false,
        _ next: (SecretState?, Bool) throws(Failure) -> SecretState.Version
    ) throws(Failure) {
        let key = try key()
        let identity = name.identity(key)
        try directory.local.withLock(failure: { .store(.storage($0)) }) { () throws(Failure) in
            let view = try view(key, only: identity)
            let version = try next(view.states[identity], view.unsound.contains(identity))
            guard memory != nil || !isDeletion else {
                return try filing { () throws(StorageError) in try directory.shared.remove(directory.name(identity)) }
            }
            let content = SecretState.content(isDeletion ? nil : name, version, value)
            let writer = try writer()
            try sealing { () throws(ChannelError) in
                let file = try directory.seal(content, identity: identity, key: key)
                try directory.write(file, identity: identity, writer: writer)
                // A copy that cannot be written now is made when the secret is read next.
                try? memory?.write(directory.name(identity), file.span)
            }
        }
    }
}

/// Files of a store, in its own terms.
func filing<Value: ~Copyable>(
    _ body: () throws(StorageError) -> Value
) throws(SecretStore.Failure) -> Value {
    do throws(StorageError) { return try body() } catch { throw .store(.storage(error)) }
}

/// Seals of a store, in its own terms.
func sealing<Value: ~Copyable>(
    _ body: () throws(ChannelError) -> Value
) throws(SecretStore.Failure) -> Value {
    do throws(ChannelError) { return try body() } catch { throw .store(error) }
}

extension SecretStore {
    /// Makes the group's key, if this machine has none. A damaged one is not replaced: nothing else opens the secrets.
    package func makeKey() throws(Failure) {
        guard try !hasKey() else { return }
        try sealing { () throws(ChannelError) in try directory.makeKey() }
    }

    /// Whether the group has a key on this machine.
    package func hasKey() throws(Failure) -> Bool {
        do throws(Failure) { _ = try key() } catch .noKey { return false }
        return true
    }

    /// The key of the group's seals and names.
    func key() throws(Failure) -> Secret { try groupKey(storedKey()) }

    /// The key as it is kept on this machine, and as other machines get it.
    private func storedKey() throws(Failure) -> Secret {
        if let key = try sealing({ () throws(ChannelError) in try directory.existingKey() }) { return key }
        let names = try filing { () throws(StorageError) in try directory.local.names() }
        throw names.contains(SealedDirectory.keyName) ? .keyDamaged : .noKey
    }

    /// A key that was brought into the directory of another group opens nothing there.
    private func groupKey(_ key: borrowing Secret) -> Secret { derived(key, "Kanal access group") }

    private func derived(_ key: borrowing Secret, _ label: String) -> Secret {
        let label = Array(label.utf8)
        return KDF.derive(key: key.bytes, label: label.span, seed: group.span)
    }
}

// MARK: - To another machine

extension SecretStore {
    private static let keyLabel = "Kanal shared key"

    /// The group's key as text, for another machine: ``KeyText`` with the label "Kanal shared key" and the group.
    package func exportKey() throws(Failure) -> Secret {
        KeyText.text(of: try storedKey(), label: SecretStore.keyLabel, seed: group)
    }

    /// Imports the group's key from another machine, in whatever case and spacing. An existing key is replaced if
    /// this machine has no secrets under it, and kept beside it.
    package func join(_ text: borrowing Secret) throws(Failure) {
        guard let key = KeyText.key(in: text, label: SecretStore.keyLabel, seed: group) else { throw .keyMalformed }
        try directory.local.withLock(failure: { .store(.storage($0)) }) { () throws(Failure) in
            let present = try sealing { () throws(ChannelError) in try directory.existingKey() }
            if let present {
                if constantTimeEqual(present.bytes, key.bytes) { return }
                let view = try view(groupKey(present), only: nil)
                guard view.states.values.allSatisfy({ $0.name == nil }) else { throw .otherKey }
            }
            try sealing { () throws(ChannelError) in
                try directory.local.replaceUnusable(SealedDirectory.keyName, with: key)
            }
            // The states that were seen under a different key are useless.
            try filing { () throws(StorageError) in
                for name in try memory?.names() ?? [] { try memory?.remove(name) }
            }
        }
    }
}
