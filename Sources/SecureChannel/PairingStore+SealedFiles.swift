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
        guard let entry = try entry(of: record), let key = try hostKey(of: entry) else { return nil }
        return try? PrivateKey(curve: record.profile.suite.curve, scalar: key)
    }

    func save(_ record: PairingRecord, label: String?) throws(ChannelError) {
        if let entry = try entry(of: record) {
            guard let hostKey = try hostKey(of: entry) else { throw .unknownRecord }
            var entry = entry
            entry.record = record
            entry.label = label ?? entry.label
            entry.revision = min(entry.revision, .max - 1) + 1
            return try write(entry, hostKey)
        }
        guard let hostKey = try local.hostKey(record.profile) else { throw .unknownRecord }
        let publicKey = try computing { () throws(GOSTError) in try hostKey.publicKey() }
        guard record.profile.suite.hash(publicKey.bytes).starts(with: record.hostID) else { throw .unknownRecord }
        let identity = try drawing { () throws(RandomUnavailable) in try random.bytes(16) }
        try write(SealedEntry(identity: identity, record: record, label: label ?? ""), hostKey.scalar)
    }

    func remove(_ record: PairingRecord) throws(ChannelError) {
        if let entry = try entry(of: record) { try bury(entry) }
    }

    func remove(serial: [UInt8], profile: Profile) throws(ChannelError) {
        for entry in try entries() where entry.isOf(serial, profile) { try bury(entry) }
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

    /// The entry of a record's token, profile and host key.
    private func entry(of record: PairingRecord) throws(ChannelError) -> SealedEntry? {
        try entries().first {
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
