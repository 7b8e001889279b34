// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import Storage

/// A state of a secret of a ``SecretStore``: its value, or the tombstone of one.
///
/// Its content is the number of bytes of its fields, in two bytes; state (1 alive, 0 deleted), generation and revision
/// as data objects; in a secret that is alive also service, account and the number of bytes of the value; then the
/// value, and zeros up to the next multiple of 256 bytes.
struct SecretState {
    let identity: [UInt8]
    /// nil makes this a tombstone.
    let name: SecretStore.Name?
    let version: Version
    /// Distinguishes states of one version, on every machine alike.
    let salt: [UInt8]
    /// The sealed file.
    let file: [UInt8]
    /// The range of the value in the content.
    private let value: Range<Int>

    /// Which of two states counts.
    struct Version: Equatable {
        /// The number of times that the secret was added.
        var generation: UInt32 = 1
        /// Counts the states of a generation.
        var revision: UInt32 = 1

        /// The next state of the same generation.
        var next: Version { Version(generation: generation, revision: min(revision, .max - 1) + 1) }
    }

    /// Contents are multiples of this number of bytes, so that they do not reveal the length of a value.
    private static let block = 256

    /// Opens a file; nil if it is not of this key, or its content is malformed.
    init?(file: [UInt8], key: borrowing Secret, kind: SealedFile.Kind) {
        guard let sealed = SealedFile(opening: file, key: key, kind: kind) else { return nil }
        guard sealed.content.count >= 2 else { return nil }
        let start = 2 + (Int(sealed.content.bytes[0]) << 8 | Int(sealed.content.bytes[1]))
        guard start <= sealed.content.count else { return nil }
        var fields = ByteCursor([UInt8](copying: sealed.content.extracting(2..<start)))
        guard let isAlive = try? fields.number(0x80, in: 0...1), let generation = try? fields.uint32(0x81),
            let revision = try? fields.uint32(0x82)
        else { return nil }
        if isAlive == 1 {
            guard let service = try? fields.object(0x83), let account = try? fields.object(0x84),
                let count = try? fields.uint32(0x85), Int(count) <= sealed.content.count - start
            else { return nil }
            let name = SecretStore.Name(
                service: String(decoding: service, as: UTF8.self), account: String(decoding: account, as: UTF8.self))
            guard name.identity(key) == sealed.identity else { return nil }
            self.name = name
            value = start..<start + Int(count)
        } else {
            name = nil
            value = start..<start
        }
        guard fields.isAtEnd else { return nil }
        identity = sealed.identity
        version = Version(generation: generation, revision: revision)
        salt = sealed.salt
        self.file = file
    }

    /// The content of a state; a tombstone's has no name and an empty value.
    static func content(_ name: SecretStore.Name?, _ version: Version, _ value: borrowing Secret) -> Secret {
        var fields: [UInt8] = []
        fields.appendObject(0x80, [name == nil ? 0 : 1])
        fields.appendUInt32(0x81, version.generation)
        fields.appendUInt32(0x82, version.revision)
        if let name {
            fields.appendObject(0x83, Array(name.service.utf8))
            fields.appendObject(0x84, Array(name.account.utf8))
            fields.appendUInt32(0x85, UInt32(clamping: value.count))
        }
        var bytes: [UInt8] = []
        bytes.appendUInt16(fields.count)
        bytes += fields
        let rest = (bytes.count + value.count) % block
        let zeros = [UInt8](repeating: 0, count: rest == 0 ? 0 : block - rest)
        return Secret(copying: bytes).appending(value.bytes).appending(zeros.span)
    }

    /// The value, read from the file again; nil in a tombstone.
    func secret(_ key: borrowing Secret, kind: SealedFile.Kind) -> Secret? {
        guard name != nil, let sealed = SealedFile(opening: file, key: key, kind: kind) else { return nil }
        return sealed.content.extracting(value)
    }

    /// Whether this state counts, and not the other one: of a later generation, else deleted, else of a higher revision.
    func supersedes(_ other: SecretState) -> Bool {
        if version.generation != other.version.generation { return version.generation > other.version.generation }
        if (name == nil) != (other.name == nil) { return name == nil }
        if version.revision != other.version.revision { return version.revision > other.version.revision }
        return other.salt.lexicographicallyPrecedes(salt)
    }
}

extension SecretStore.Name {
    /// The identity that names a secret's files. Only the key identifies the secret.
    func identity(_ key: borrowing Secret) -> [UInt8] {
        let label = Array("Kanal secret name".utf8)
        var seed: [UInt8] = []
        seed.appendUInt16(service.utf8.count)
        seed += Array(service.utf8) + Array(account.utf8)
        let digest = KDF.derive(key: key.bytes, label: label.span, seed: seed.span)
        return Array([UInt8](copying: digest).prefix(16))
    }
}

extension ByteCursor {
    /// The next object, a number of four bytes.
    fileprivate mutating func uint32(_ tag: UInt8) throws(MalformedBytes) -> UInt32 {
        var number = ByteCursor(try object(tag, length: 4))
        return try number.uint32()
    }
}

extension [UInt8] {
    /// Appends an object that is a number of four bytes.
    fileprivate mutating func appendUInt32(_ tag: UInt8, _ number: UInt32) {
        var bytes: [UInt8] = []
        bytes.appendUInt32(number)
        appendObject(tag, bytes)
    }
}

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
            guard let bytes = try sealing({ () throws(ChannelError) in try directory.bytes(of: name) }) else {
                let identities = SealedFile.identities(name: name, file: [], kind: directory.kind)
                view.unsound.formUnion(identities)
                view.unreadable.append((name, identities))
                continue
            }
            let identities = SealedFile.identities(name: name, file: bytes, kind: directory.kind)
            if let identity, !identities.contains(identity) { continue }
            guard let state = state(in: bytes, named: name, key) else {
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
    private func state(in bytes: [UInt8], named name: String, _ key: borrowing Secret) -> SecretState? {
        guard let state = SecretState(file: bytes, key: key, kind: directory.kind) else { return nil }
        return memory == nil && name != directory.name(state.identity) ? nil : state
    }

    /// The copies in this machine's memory. A damaged one counts as missing.
    private func remembered(_ key: borrowing Secret, only identity: [UInt8]?) throws(Failure) -> [SecretState] {
        guard let memory else { return [] }
        let name = identity.map { directory.name($0) }
        let names = try filing { () throws(StorageError) in if let name { [name] } else { try memory.names() } }
        var states: [SecretState] = []
        for name in names {
            guard let bytes = try? memory.read(name, limit: directory.kind.limit),
                let state = SecretState(file: bytes, key: key, kind: directory.kind),
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
        let bytes = try filing { () throws(StorageError) in
            try directory.local.read(SecretStore.writerName, limit: PairingStore.limit)
        }
        return bytes?.count == SecretStore.writerSize ? bytes : nil
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
