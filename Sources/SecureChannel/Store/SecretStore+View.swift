// SPDX-License-Identifier: Apache-2.0
import Secrets
import Storage

/// A store's state of one secret, or of all.
struct SecretView {
    /// The state of each secret that counts.
    var states: [[UInt8]: SecretState] = [:]
    /// The identities, from name or beginning, of files that cannot be read.
    var unsound: Set<[UInt8]> = []
    var unreadable: [(name: String, identities: [[UInt8]])] = []
    /// The states that count by the directory's files alone, by the machine's memory, and by its own files.
    fileprivate var shared: [[UInt8]: SecretState] = [:]
    fileprivate var seen: [[UInt8]: SecretState] = [:]
    fileprivate var own: [[UInt8]: SecretState] = [:]

    /// Whether the machine has a copy of every state that counts, the directory has it, too, and no file of the machine
    /// has an older one.
    fileprivate var isSettled: Bool {
        states.values.allSatisfy { state in
            seen[state.identity]?.salt == state.salt && shared[state.identity]?.salt == state.salt
                && own[state.identity].map { $0.salt == state.salt } ?? true
        }
    }

    fileprivate static func take(_ state: SecretState, into states: inout [[UInt8]: SecretState]) {
        if let other = states[state.identity], !state.supersedes(other) { return }
        states[state.identity] = state
    }
}

extension SecretStore {
    /// Reads the directory and the machine's memory.
    ///
    /// - Parameter identity: The only secret to look at; nil looks at all.
    func view(_ key: borrowing Secret, only identity: [UInt8]?) throws(Failure) -> SecretView {
        var view = SecretView()
        let names = try sealing { () throws(ChannelError) in try directory.names() }
        guard names.count <= SecretStore.fileLimit else { throw .tooMany }
        let writer = try existingWriter()
        for name in names {
            guard let octets = try sealing({ () throws(ChannelError) in try directory.octets(of: name) }) else {
                let identities = SealedFile.identities(name: name, file: [], kind: directory.kind)
                view.unsound.formUnion(identities)
                view.unreadable.append((name, identities))
                continue
            }
            let identities = SealedFile.identities(name: name, file: octets, kind: directory.kind)
            if let identity, !identities.contains(identity) { continue }
            guard let state = state(in: octets, named: name, key) else {
                view.unsound.formUnion(identities)
                view.unreadable.append((name, identities))
                continue
            }
            if name == directory.name(state.identity, writer) { view.own[state.identity] = state }
            SecretView.take(state, into: &view.shared)
        }
        view.states = view.shared
        for state in try remembered(key, only: identity) {
            view.seen[state.identity] = state
            SecretView.take(state, into: &view.states)
        }
        return view
    }

    /// As ``view(_:only:)``. Also copies the states that count into the machine's memory and into the directory, and
    /// removes deleted or replaced ones. Waits for no lock: if another process has it, or a disk is full, that is left
    /// to the next time.
    func settled(_ key: borrowing Secret, only identity: [UInt8]?) throws(Failure) -> SecretView {
        let view = try view(key, only: identity)
        guard let memory, !view.isSettled else { return view }
        do throws(Failure) {
            return try directory.local.withLock(waiting: false, failure: { .store(.storage($0)) }) {
                () throws(Failure) in
                let view = try self.view(key, only: identity)
                let writer = try self.writer()
                for (identity, state) in view.states { settle(identity, state, view, memory, writer) }
                return view
            }
        } catch .store {
            return view
        }
    }

    private func settle(
        _ identity: [UInt8], _ state: SecretState, _ view: SecretView, _ memory: Directory, _ writer: [UInt8]?
    ) {
        if view.seen[identity]?.salt != state.salt {
            try? memory.write(directory.name(identity), state.file.span)
        }
        if view.shared[identity]?.salt != state.salt {
            try? directory.write(state.file, identity: identity, writer: writer)
        } else if let own = view.own[identity], own.salt != state.salt {
            // The state that counts is in another file.
            try? directory.shared.remove(directory.name(identity, writer))
        }
    }

    /// In a store of this machine alone, names are reliable: no other machine puts files there.
    private func state(in octets: [UInt8], named name: String, _ key: borrowing Secret) -> SecretState? {
        guard let state = SecretState(file: octets, key: key, kind: directory.kind) else { return nil }
        return memory == nil && name != directory.name(state.identity) ? nil : state
    }

    /// The copies in this machine's memory. A damaged one counts as missing.
    private func remembered(_ key: borrowing Secret, only identity: [UInt8]?) throws(Failure) -> [SecretState] {
        guard let memory else { return [] }
        let name = identity.map { directory.name($0) }
        let names = try filing { () throws(StorageError) in if let name { [name] } else { try memory.names() } }
        var states: [SecretState] = []
        for name in names {
            guard let octets = try? memory.read(name, limit: directory.kind.limit),
                let state = SecretState(file: octets, key: key, kind: directory.kind),
                name == directory.name(state.identity)
            else { continue }
            states.append(state)
        }
        return states
    }
}

// MARK: - The machine

extension SecretStore {
    private static let writerName = "machine"
    private static let writerSize = 8

    /// The identity of this machine in its files' names; nil if it has written none, or in a store of its own.
    private func existingWriter() throws(Failure) -> [UInt8]? {
        guard memory != nil else { return nil }
        let octets = try filing { () throws(StorageError) in
            try directory.local.read(SecretStore.writerName, limit: PairingStore.limit)
        }
        return octets?.count == SecretStore.writerSize ? octets : nil
    }

    /// The same, made if it is missing. Called under the lock.
    func writer() throws(Failure) -> [UInt8]? {
        guard memory != nil else { return nil }
        if let writer = try existingWriter() { return writer }
        let writer = try sealing { () throws(ChannelError) in
            try drawing { () throws(RandomUnavailable) in try directory.random.bytes(SecretStore.writerSize) }
        }
        try filing { () throws(StorageError) in try directory.local.write(SecretStore.writerName, writer.span) }
        return writer
    }
}
