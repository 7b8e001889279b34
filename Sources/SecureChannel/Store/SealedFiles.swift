// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import Storage

/// The records of a synchronised store: a directory that other programs replicate between a user's machines.
///
/// Each entry is one file with the record and its host key, sealed under a key that stays in the group's own directory.
/// The name of a file means nothing: a copy under whatever name a synchroniser invents is as good as the original. Of
/// several states of one entry a tombstone counts, else the one with the highest revision. An entry is never revived: a
/// new pairing makes a new entry. Files of other kinds or under a different key are left alone. A damaged entry whose
/// token is still known counts as an unsound record of that token.
struct SealedFiles: PairingFiles {
    let directory: SealedDirectory

    let carriesLabels = true

    func makeRoom() {}
    func makeKey() throws(ChannelError) { try directory.makeKey() }

    func records() throws(ChannelError) -> [StoredRecord] {
        try entries().compactMap { entry in entry.record.map { StoredRecord(record: $0, label: entry.label) } }
    }

    func records(serial: [UInt8], profile: Profile) throws(ChannelError) -> [StoredRecord] {
        try records().filter { $0.record.capabilities.serial == serial && $0.record.profile == profile }
    }

    func hasRecord(serial: [UInt8], profile: Profile) throws(ChannelError) -> Bool {
        try hasRecord(serial, [profile])
    }

    /// With a damaged key, records cannot be distinguished from others' records.
    func hasRecord(serial: [UInt8]) throws(ChannelError) -> Bool {
        if try hasRecord(serial, Profile.allCases) { return true }
        guard try directory.existingKey() == nil else { return false }
        return try storing { () throws(StorageError) in try directory.local.names().contains(SealedDirectory.keyName) }
    }

    /// Whether there is an entry of the token, sound or not, or was an entry that this machine remembers, and no tombstone states
    /// that it was deleted.
    private func hasRecord(_ serial: [UInt8], _ profiles: [Profile]) throws(ChannelError) -> Bool {
        let view = try view()
        for profile in profiles {
            if view.states.values.contains(where: { $0.isOf(serial, profile) }) { return true }
            if try !unsound(of: serial, profile, in: view).isEmpty { return true }
            if try remembered(serial, profile).contains(where: { !view.isDeleted($0) }) { return true }
        }
        return false
    }

    func hostKey(for record: PairingRecord) throws(ChannelError) -> PrivateKey? {
        guard let entry = try entries(of: record).first, let key = try hostKey(of: entry) else { return nil }
        return try? PrivateKey(curve: record.profile.suite.curve, scalar: key)
    }

    /// A new state of the entry, if the record is of the same pairing. A different pairing has its own entry, so that
    /// the deletion of the older one, on whatever machine, does not concern it; older ones are forgotten after it is
    /// stored.
    func save(_ record: PairingRecord, label: String?) throws(ChannelError) {
        let entries = try entries(of: record)
        if var entry = entries.first(where: { $0.isOf(record) }) {
            guard let hostKey = try hostKey(of: entry) else { throw .unknownRecord }
            entry.record = record
            entry.label = label ?? entry.label
            entry.revision = min(entry.revision, .max - 1) + 1
            try write(entry, hostKey)
        } else {
            guard let key = try directory.existingKey() else { throw .storage(.notFound) }
            let number = try drawing { () throws(RandomUnavailable) in try directory.random.bytes(8) }
            let identity = SealedFiles.tag(record.capabilities.serial, record.profile, key) + number
            let entry = SealedEntry(identity: identity, record: record, label: label ?? entries.first?.label ?? "")
            try write(entry, ownKey(of: record, entries))
        }
        for other in entries where !other.isOf(record) && (other.record?.created ?? 0) <= record.created {
            try writeTombstone(other)
        }
    }

    func remember(_ record: PairingRecord) throws(ChannelError) {
        let (serial, profile) = (record.capabilities.serial, record.profile)
        let identities = try entries().filter { $0.isOf(serial, profile) }.map(\.identity)
        guard try Set(identities) != Set(remembered(serial, profile)) else { return }
        try memory.keep(identities.flatMap { $0 }, serial, profile)
    }

    func remove(_ record: PairingRecord) throws(ChannelError) {
        for entry in try entries(of: record) { try writeTombstone(entry) }
        let (serial, profile) = (record.capabilities.serial, record.profile)
        let view = try view()
        let rest = try remembered(serial, profile).filter { !view.isDeleted($0) }
        if rest.isEmpty {
            try memory.forget(serial: serial, profile: profile)
        } else {
            try memory.keep(rest.flatMap { $0 }, serial, profile)
        }
    }

    func remove(serial: [UInt8], profile: Profile) throws(ChannelError) {
        let view = try view()
        for entry in view.states.values where entry.isOf(serial, profile) { try writeTombstone(entry) }
        for identity in try unsound(of: serial, profile, in: view) {
            try writeTombstone(SealedEntry(identity: identity, record: nil, label: ""))
        }
        try memory.forget(serial: serial, profile: profile)
    }

    /// This machine's memory of tokens that it has worked with. It is not replicated.
    private var memory: KnownTokens { KnownTokens(path: directory.local.path + "/known") }

    /// The identities of entries of a token that were alive when this machine last worked with it. A damaged file
    /// counts as an entry of which nothing else is known.
    private func remembered(_ serial: [UInt8], _ profile: Profile) throws(ChannelError) -> [[UInt8]] {
        let bytes = try storing { () throws(StorageError) in try memory.content(serial, profile) }
        guard let bytes else { return [] }
        guard !bytes.isEmpty, bytes.count.isMultiple(of: SealedFile.identitySize) else { return [[]] }
        return stride(from: 0, to: bytes.count, by: SealedFile.identitySize).map {
            Array(bytes[$0..<$0 + SealedFile.identitySize])
        }
    }

    /// The host key of a new pairing: this machine's, or an older pairing's by the same key.
    private func ownKey(of record: PairingRecord, _ others: [SealedEntry]) throws(ChannelError) -> Secret {
        if let other = others.first, let key = try hostKey(of: other) { return key }
        guard let key = try directory.local.hostKey(record.profile) else { throw .unknownRecord }
        let publicKey = try computing { () throws(GOSTError) in try key.publicKey() }
        guard record.profile.suite.hash(publicKey.bytes).starts(with: record.hostID) else { throw .unknownRecord }
        return key.scalar.copy()
    }

    /// Leaves a tombstone in the place of an entry.
    private func writeTombstone(_ entry: SealedEntry) throws(ChannelError) {
        var entry = entry
        entry.record = nil
        try write(entry, Secret(count: SealedEntry.keySize))
    }

    private func write(_ entry: SealedEntry, _ hostKey: borrowing Secret) throws(ChannelError) {
        guard let key = try directory.existingKey() else { throw .storage(.notFound) }
        let file = try directory.seal(entry.content(hostKey), identity: entry.identity, key: key)
        try directory.write(file, identity: entry.identity)
    }
}

// MARK: - Reading

extension SealedFiles {
    /// The content of the directory.
    private struct View {
        /// The state that counts of each entry.
        var states: [[UInt8]: SealedEntry] = [:]
        /// The identities, from name or beginning, of files that cannot be read as entries.
        var unsound: Set<[UInt8]> = []

        /// Whether there is a tombstone.
        func isDeleted(_ identity: [UInt8]) -> Bool { states[identity].map { $0.record == nil } ?? false }
    }

    /// The entries that are alive, the youngest first.
    private func entries() throws(ChannelError) -> [SealedEntry] {
        try view().states.values.filter { $0.record != nil }.sorted { $0.isYounger(than: $1) }
    }

    private func view() throws(ChannelError) -> View {
        var view = View()
        guard let key = try directory.existingKey() else { return view }
        for name in try directory.entryNames() {
            let file = try directory.bytes(of: name)
            guard let sealed = file.flatMap({ SealedFile(opening: $0, key: key) }),
                let state = SealedEntry(sealed, file: name)
            else {
                view.unsound.formUnion(SealedFile.identities(name: name, file: file ?? []))
                continue
            }
            guard let other = view.states[state.identity], !state.supersedes(other) else {
                view.states[state.identity] = state
                continue
            }
        }
        return view
    }

    /// The identities of entries of a token that cannot be read, and were not deleted by a tombstone that can be.
    private func unsound(of serial: [UInt8], _ profile: Profile, in view: View) throws(ChannelError) -> [[UInt8]] {
        guard let key = try directory.existingKey() else { return [] }
        let tag = SealedFiles.tag(serial, profile, key)
        return view.unsound.filter { $0.starts(with: tag) && !view.isDeleted($0) }
    }

    /// The first 8 bytes of the identity of a token's entry. With the key, and only with it, they identify the token, even
    /// if nothing else of the entry can be read.
    private static func tag(_ serial: [UInt8], _ profile: Profile, _ key: borrowing Secret) -> [UInt8] {
        let label = Array("Kanal entry".utf8), seed = serial + [profile.rawValue]
        return Array([UInt8](copying: KDF.derive(key: key.bytes, label: label.span, seed: seed.span)).prefix(8))
    }

    /// The entries of a record's token, profile and host key, the youngest first. Usually one.
    private func entries(of record: PairingRecord) throws(ChannelError) -> [SealedEntry] {
        try entries().filter {
            $0.isOf(record.capabilities.serial, record.profile) && $0.record?.hostID == record.hostID
        }
    }

    private func hostKey(of entry: SealedEntry) throws(ChannelError) -> Secret? {
        guard let key = try directory.existingKey(), let file = try directory.bytes(of: entry.file),
            let sealed = SealedFile(opening: file, key: key)
        else { return nil }
        return sealed.content.extracting(0..<SealedEntry.keySize)
    }
}

/// A state of an entry of a synchronised store: a pairing, or the tombstone of one.
///
/// Its content is the host key, 32 bytes, then state (1 alive, 0 deleted), revision, label and record as data objects.
/// A tombstone has zeros for a host key and no record.
struct SealedEntry {
    let identity: [UInt8]
    /// The pairing; nil makes this a tombstone.
    var record: PairingRecord?
    /// The token's label.
    var label: String
    /// Counts the states of the entry.
    var revision: UInt32
    /// The name of the file with the state.
    let file: String
    /// Distinguishes states of one revision, on every machine alike.
    private let salt: [UInt8]

    /// The bytes of a host key.
    static let keySize = 32

    /// A new entry.
    init(identity: [UInt8], record: PairingRecord?, label: String) {
        self.identity = identity
        self.record = record
        self.label = label
        revision = 1
        file = ""
        salt = []
    }

    /// Reads an opened file; nil if its content is malformed.
    init?(_ sealed: borrowing SealedFile, file: String) {
        guard sealed.content.count > SealedEntry.keySize else { return nil }
        let fields = [UInt8](copying: sealed.content.bytes.extracting(droppingFirst: SealedEntry.keySize))
        var cursor = ByteCursor(fields)
        guard let state = try? cursor.number(0x80, in: 0...1),
            var number = (try? cursor.object(0x81, length: 4)).map({ ByteCursor($0) }),
            let revision = try? number.uint32(), let label = try? cursor.object(0x82)
        else { return nil }
        if state == 1 {
            guard let bytes = try? cursor.object(0x83), let record = PairingRecord(parsing: bytes) else { return nil }
            self.record = record
        } else {
            record = nil
        }
        guard cursor.isAtEnd else { return nil }
        identity = sealed.identity
        salt = sealed.salt
        self.revision = revision
        self.label = String(decoding: label, as: UTF8.self)
        self.file = file
    }

    func content(_ hostKey: borrowing Secret) -> Secret {
        var number: [UInt8] = []
        number.appendUInt32(revision)
        var fields: [UInt8] = []
        fields.appendObject(0x80, [record == nil ? 0 : 1])
        fields.appendObject(0x81, number)
        fields.appendObject(0x82, Array(label.utf8))
        if let record { fields.appendObject(0x83, record.encoded) }
        return hostKey.appending(fields.span)
    }

    func isOf(_ serial: [UInt8], _ profile: Profile) -> Bool {
        record?.capabilities.serial == serial && record?.profile == profile
    }

    /// Whether this is the pairing of the record, perhaps with another E1.
    func isOf(_ other: PairingRecord) -> Bool {
        record?.created == other.created && record?.tokenKey == other.tokenKey && record?.index == other.index
    }

    /// Whether this state of an entry counts, and not the other one.
    func supersedes(_ other: SealedEntry) -> Bool {
        guard record != nil, other.record != nil else { return other.record != nil }
        guard revision == other.revision else { return revision > other.revision }
        return other.salt.lexicographicallyPrecedes(salt)
    }

    /// Whether this pairing was made after the other one.
    func isYounger(than other: SealedEntry) -> Bool {
        guard let own = record?.created, let its = other.record?.created, own != its else {
            return identity.lexicographicallyPrecedes(other.identity)
        }
        return own > its
    }
}
