import APDU
import GOST
import Secrets
import Storage

/// The records of a synchronised store: a directory that other programs replicate between a user's machines.
///
/// Each entry is one file with the record and its host key, sealed under a key that stays in the group's own directory.
/// The name of a file means nothing: a copy under whatever name a synchroniser invents is as good as the original.
/// Of several states of one entry a tombstone counts, else the one with the highest revision. An entry is never revived:
/// what is paired again is another one. Files that are no entries, or not of this key, are left alone.
struct SealedFiles: PairingFiles {
    /// The group's own directory.
    let local: Directory
    /// The replicated directory.
    let shared: Directory
    let random: any RandomSource

    let carriesLabels = true

    /// The key's file in the group's own directory.
    static let keyName = "key"
    private static let keySize = 32

    func makeRoom() {}

    func records() throws(ChannelError) -> [StoredRecord] {
        try entries().compactMap { entry in entry.record.map { StoredRecord(record: $0, label: entry.label) } }
    }

    func records(serial: [UInt8], profile: Profile) throws(ChannelError) -> [StoredRecord] {
        try records().filter { $0.record.capabilities.serial == serial && $0.record.profile == profile }
    }

    func hasRecord(serial: [UInt8], profile: Profile) throws(ChannelError) -> Bool {
        try !records(serial: serial, profile: profile).isEmpty
    }

    func hostKey(for record: PairingRecord) throws(ChannelError) -> PrivateKey? {
        guard let entry = try entries(of: record).first, let key = try hostKey(of: entry) else { return nil }
        return try? PrivateKey(curve: record.profile.suite.curve, scalar: key)
    }

    /// A new state of the entry, if the record is of the same pairing. Another pairing is another entry, so that the
    /// deletion of the older one, on whatever machine, does not concern it; older ones are forgotten after it is kept.
    func save(_ record: PairingRecord, label: String?) throws(ChannelError) {
        let entries = try entries(of: record)
        if var entry = entries.first(where: { $0.isOf(record) }) {
            guard let hostKey = try hostKey(of: entry) else { throw .unknownRecord }
            entry.record = record
            entry.label = label ?? entry.label
            entry.revision = min(entry.revision, .max - 1) + 1
            try write(entry, hostKey)
        } else {
            let identity = try drawing { () throws(RandomUnavailable) in try random.bytes(16) }
            let entry = SealedEntry(identity: identity, record: record, label: label ?? entries.first?.label ?? "")
            try write(entry, ownKey(of: record, entries))
        }
        for other in entries where !other.isOf(record) && (other.record?.created ?? 0) <= record.created {
            try bury(other)
        }
    }

    func remove(_ record: PairingRecord) throws(ChannelError) {
        for entry in try entries(of: record) { try bury(entry) }
    }

    func remove(serial: [UInt8], profile: Profile) throws(ChannelError) {
        for entry in try entries() where entry.isOf(serial, profile) { try bury(entry) }
    }

    /// The host key of a new pairing: this machine's, or that of an older pairing by the same key.
    private func ownKey(of record: PairingRecord, _ others: [SealedEntry]) throws(ChannelError) -> Secret {
        if let other = others.first, let key = try hostKey(of: other) { return key }
        guard let key = try local.hostKey(record.profile) else { throw .unknownRecord }
        let publicKey = try computing { () throws(GOSTError) in try key.publicKey() }
        guard record.profile.suite.hash(publicKey.bytes).starts(with: record.hostID) else { throw .unknownRecord }
        return key.scalar.copy()
    }

    /// Leaves a tombstone in the place of an entry.
    private func bury(_ entry: SealedEntry) throws(ChannelError) {
        var entry = entry
        entry.record = nil
        try write(entry, Secret(count: SealedEntry.keySize))
    }

    private func write(_ entry: SealedEntry, _ hostKey: borrowing Secret) throws(ChannelError) {
        let file = try SealedPairing.seal(
            entry.content(hostKey), identity: entry.identity, key: masterKey(), random: random)
        try storing { () throws(StorageError) in
            try shared.write(hexadecimal(entry.identity) + ".pairing", file.span)
        }
    }

    /// The key of all seals, made at the first need.
    private func masterKey() throws(ChannelError) -> Secret {
        if let key = try existingKey() { return key }
        let key = try drawing { () throws(RandomUnavailable) in try random.secret(SealedFiles.keySize) }
        try local.replaceUnusable(SealedFiles.keyName, with: key)
        return key
    }

    private func existingKey() throws(ChannelError) -> Secret? {
        let key = try storing { () throws(StorageError) in
            try local.readSecret(SealedFiles.keyName, limit: PairingStore.limit)
        }
        guard let key, key.count == SealedFiles.keySize else { return nil }
        return key
    }
}

// MARK: - Reading

extension SealedFiles {
    /// The entries that are alive, the youngest first.
    private func entries() throws(ChannelError) -> [SealedEntry] {
        guard let key = try existingKey() else { return [] }
        var states: [[UInt8]: SealedEntry] = [:]
        for name in try storing({ () throws(StorageError) in try shared.names() }) {
            guard let sealed = try open(name, key), let state = SealedEntry(sealed, file: name) else { continue }
            guard let other = states[state.identity], !state.supersedes(other) else {
                states[state.identity] = state
                continue
            }
        }
        return states.values.filter { $0.record != nil }.sorted { $0.isYounger(than: $1) }
    }

    /// The entries of a record's token, profile and host key, the youngest first. Usually one.
    private func entries(of record: PairingRecord) throws(ChannelError) -> [SealedEntry] {
        try entries().filter {
            $0.isOf(record.capabilities.serial, record.profile) && $0.record?.hostID == record.hostID
        }
    }

    private func hostKey(of entry: SealedEntry) throws(ChannelError) -> Secret? {
        guard let key = try existingKey(), let sealed = try open(entry.file, key) else { return nil }
        return sealed.content.extracting(0..<SealedEntry.keySize)
    }

    /// Opens a file; nil if it is not one of ours.
    private func open(_ name: String, _ key: borrowing Secret) throws(ChannelError) -> SealedPairing? {
        do throws(StorageError) {
            guard let octets = try shared.read(name, limit: PairingStore.limit) else { return nil }
            return SealedPairing(opening: octets, key: key)
        } catch {
            switch error {
            case .denied, .tooLarge: return nil
            default: throw .storage(error)
            }
        }
    }
}
