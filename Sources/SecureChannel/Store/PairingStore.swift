// SPDX-License-Identifier: Apache-2.0

import APDU
import Glibc
import GOST
package import Secrets
package import Storage

/// A pairing group: the host's long-term keys and the records of its tokens (GSC/1, 9).
///
/// The group's own directory holds `host.<PID>`, a private key, and `notes` on the pairings. `PairingFiles` decides
/// where the records are: beside the key, or sealed in a directory that travels between machines. A damaged file counts
/// as missing, so that the user pairs again, and stays on the disk until then.
///
/// Another process can hold the group's lock for as long as it likes. It is taken only to make files that two processes
/// must not make at once, keys and shared directories: `prepare(for:random:)`, before the token is spoken to. Every
/// other change replaces one file as a whole, and needs no lock.
package final class PairingStore: Sendable {
    let directory: Directory
    let files: any PairingFiles
    private let notes: PairingNotes
    /// This user's knowledge of the tokens' keys in a group's store; nil if no other user can make records.
    let known: KnownTokens?

    /// Whether the store has more files than are looked at.
    package let isCrowded: Bool

    /// The greatest size of a file that is read.
    static let limit = 4096

    init(directory: Directory, files: any PairingFiles, known: KnownTokens? = nil, isCrowded: Bool = false) {
        self.directory = directory
        self.files = files
        self.known = known
        self.isCrowded = isCrowded
        notes = PairingNotes(directory: directory)
    }

    /// Opens a store in one directory.
    package convenience init(directory: Directory) {
        self.init(directory: directory, files: RecordFiles(directory: directory))
    }

    /// The record of the token with this serial; nil if host and token are not paired in the profile. Of several
    /// records by different host keys it is the youngest.
    package func record(serial: [UInt8], profile: Profile) throws(ChannelError) -> PairingRecord? {
        try files.records(serial: serial, profile: profile).first?.record
    }

    /// The records of the token with this serial, the youngest first. Only a synchronised store has more than one, each
    /// of a different host key.
    package func records(serial: [UInt8], profile: Profile) throws(ChannelError) -> [PairingRecord] {
        try files.records(serial: serial, profile: profile).map(\.record)
    }

    /// All pairings, the youngest first.
    package func records() throws(ChannelError) -> [Entry] {
        try files.records().map { stored in
            let note = notes.note(of: stored.record)
            return Entry(
                record: stored.record, label: note?.label ?? stored.label,
                lastUsed: note.flatMap { $0.time >= stored.record.created ? $0.time : nil },
                isKeyChanged: (try? isKeyChanged(stored.record)) ?? true)
        }
    }

    /// Whether there is a record of the token with this serial, sound or not. A record that is damaged, truncated or of a
    /// later version also shows that host and token are paired, and so does a key that the user knows.
    package func hasRecord(serial: [UInt8]) throws(ChannelError) -> Bool {
        if try files.hasRecord(serial: serial) { return true }
        return try known?.have(serial: serial) ?? false
    }

    /// Whether there is still a pairing with the record's token by the record's host key.
    package func holds(_ record: PairingRecord) throws(ChannelError) -> Bool {
        try files.records(serial: record.capabilities.serial, profile: record.profile).contains {
            $0.record.hostID == record.hostID
        }
    }

    /// Makes the missing parts for a pairing: room, and the host's long-term key of the profile. A file without a valid
    /// key is kept beside it. Waits for the group's lock, with a time limit.
    package func prepare(for profile: Profile, random: any RandomSource) throws(ChannelError) {
        try makeReady()
        guard try hostKey(profile) == nil else { return }
        try directory.withLock(failure: ChannelError.storage) { () throws(ChannelError) in
            _ = try directory.hostKey(profile, random: random)
        }
    }

    /// Makes the missing parts for a record, and stores it, as ``keep(_:)`` does.
    package func save(_ record: PairingRecord) throws(ChannelError) {
        try makeReady()
        try keep(record)
    }

    /// Stores a record, in place of an older one of the same token, profile and host key. On return it is on the
    /// device. The store has been prepared. Waits for no lock: only the holder of the token's transaction pairs with
    /// it.
    func keep(_ record: PairingRecord) throws(ChannelError) { try files.save(record, label: nil) }

    /// Forgets one pairing, and this user's knowledge of the token in its profile.
    package func remove(_ record: PairingRecord) throws(ChannelError) {
        try withdraw(record)
        try known?.forget(serial: record.capabilities.serial, profile: record.profile)
    }

    /// Forgets a pairing that was never good: what this user knows of the token is of an earlier one.
    func withdraw(_ record: PairingRecord) throws(ChannelError) {
        try files.remove(record)
        notes.remove(record)
    }

    /// Forgets a token in a profile, by whatever host keys it was paired, and the rest of damaged records.
    package func remove(serial: [UInt8], profile: Profile) throws(ChannelError) {
        let records = try records(serial: serial, profile: profile)
        try files.remove(serial: serial, profile: profile)
        try known?.forget(serial: serial, profile: profile)
        for record in records { notes.remove(record) }
    }

    /// Notes that a channel was opened by this record, to the day, and the token's label. A failure does not keep the
    /// channel from use.
    ///
    /// - Parameter time: The time of the opening, in seconds since 1970; nil is now.
    package func markUsed(_ record: PairingRecord, label: String? = nil, at time: Int64? = nil) {
        let time = time ?? Int64(Glibc.time(nil))
        let known = notes.note(of: record)
        let label = label ?? known?.label ?? ""
        guard known.map({ $0.label != label || time - $0.time >= 86_400 || time < $0.time }) ?? true else { return }
        if known?.label != label, files.carriesLabels { try? files.save(record, label: label) }
        notes.write(PairingNotes.Note(time: time, label: label), of: record)
    }

    /// Forgets a token in all profiles, as ``remove(serial:profile:)`` does. The highest goes last: until it is gone no
    /// lower one is used.
    ///
    /// - Returns: Whether there was anything of the token, sound or not.
    package func remove(serial: [UInt8]) throws(ChannelError) -> Bool {
        let wasKnown = try hasRecord(serial: serial)
        for profile in Profile.allCases.sorted() { try remove(serial: serial, profile: profile) }
        return wasKnown
    }

    /// Whether there is a record, sound or not, of this token in a higher profile, or a key that the user knows. The host
    /// then never again uses the lower one with it (section 4).
    func isPinned(serial: [UInt8], above profile: Profile) throws(ChannelError) -> Bool {
        for higher in Profile.allCases where higher.rawValue > profile.rawValue {
            if try files.hasRecord(serial: serial, profile: higher) { return true }
            if try known?.have(serial: serial, profile: higher) ?? false { return true }
        }
        return false
    }

    /// The host's long-term key that a record was made with; nil if it is gone.
    func hostKey(for record: PairingRecord) throws(ChannelError) -> PrivateKey? { try files.hostKey(for: record) }

    /// The host's long-term key of the profile; nil if it is missing or unusable.
    func hostKey(_ profile: Profile) throws(ChannelError) -> PrivateKey? { try directory.hostKey(profile) }

    /// Makes the directories that are missing.
    func makeRoom() throws(StorageError) {
        try files.makeRoom()
        try notes.makeRoom()
    }

    private func makeReady() throws(ChannelError) {
        try storing { () throws(StorageError) in try makeRoom() }
        try files.makeKey()
    }
}

extension PairingStore {
    /// A pairing, for people to look at.
    package struct Entry: Sendable, Equatable {
        package let record: PairingRecord
        /// The token's label when it was last used; empty if it is not known.
        package let label: String
        /// When a channel was last opened, to the day, in seconds since 1970; nil if it is not known.
        package let lastUsed: Int64?
        /// Whether the token's key differs from the key that this user has worked with: `PairingStore.isKeyChanged`.
        package let isKeyChanged: Bool

        /// The token's serial number, 8 bytes.
        package var serial: [UInt8] { record.capabilities.serial }
        package var profile: Profile { record.profile }
        /// When host and token were paired, in seconds since 1970.
        package var created: Int64 { record.created }
    }
}

extension PairingStore {
    /// The place of a pairing group. Records of different groups never mix.
    package enum Location: Sendable, Equatable {
        /// A directory of the user's own.
        case directory(String)
        /// A directory that the members of a Unix group share, which the administrator makes, and the user's own one for
        /// the keys of tokens that the user has worked with; nil if the user has none.
        case group(String, memory: String? = nil)
        /// A directory that is replicated between the user's machines, and the user's own directory on this machine.
        case synchronised(String, local: String)
        /// Nowhere, since the user has no directory: pairings neither exist nor can be made.
        case nowhere
        /// Unknown, for this reason: no token can be activated or used.
        case unusable(StorageError)

        /// The directory to name when something is wrong with it.
        package var path: String {
            switch self {
            case .directory(let path), .group(let path, memory: _), .synchronised(let path, local: _): path
            case .nowhere, .unusable: ""
            }
        }
    }

    /// Opens the group at `location`.
    ///
    /// - Parameters:
    ///   - create: Whether to make it if it is missing. A directory of a Unix group, and a directory that is gone after it was
    ///     in use, is never made.
    ///   - random: Source of seals and their key.
    ///   - patience: The milliseconds to wait for a lock that another process holds.
    /// - Returns: The store; nil if it does not exist and is not to be created.
    /// - Throws: The reason why the place cannot be used. A configured place has no substitute.
    package static func open(
        _ location: Location, create: Bool, random: any RandomSource, patience: Int = Directory.patience
    ) throws(StorageError) -> PairingStore? {
        switch location {
        case .directory(let path):
            guard let directory = try Directory.own(path, create: create, patience: patience) else { return nil }
            return try store(in: directory, create)
        case .group(let path, memory: let memory):
            let directory = try Directory(path: path, create: false, access: .group, patience: patience)
            return try store(in: directory, create, known: memory.map(KnownTokens.init))
        case .synchronised(let path, local: let local):
            let sealed = try SealedDirectory.open(
                path, local: local, kind: .pairing, create: create, random: random, patience: patience)
            guard let sealed else { return nil }
            return PairingStore(
                directory: sealed.local, files: SealedFiles(directory: sealed), isCrowded: try sealed.isCrowded())
        case .nowhere:
            guard !create else { throw .notFound }
            return nil
        case .unusable(let error):
            throw error
        }
    }

    /// A store in one directory. Room for a new record is made first: a full disk is found before the token is asked
    /// for anything.
    private static func store(
        in directory: Directory, _ create: Bool, known: KnownTokens? = nil
    ) throws(StorageError) -> PairingStore {
        let store = PairingStore(directory: directory, files: RecordFiles(directory: directory), known: known)
        if create { try store.makeRoom() }
        return store
    }
}

extension Directory {
    /// The host's long-term key of the profile; nil if it is missing or unusable.
    func hostKey(_ profile: Profile) throws(ChannelError) -> PrivateKey? {
        let content = try storing { () throws(StorageError) in
            try readSecret(Directory.hostKeyName(profile), limit: PairingStore.limit)
        }
        guard let content else { return nil }
        return try? PrivateKey(curve: profile.suite.curve, scalar: content)
    }

    /// The host's long-term key of the profile, made if it is missing or unusable. Called under the lock.
    func hostKey(_ profile: Profile, random: any RandomSource) throws(ChannelError) -> PrivateKey {
        if let key = try hostKey(profile) { return key }
        let key = try computing { () throws(GOSTError) in
            try PrivateKey.generate(on: profile.suite.curve, random: random)
        }
        try replaceUnusable(Directory.hostKeyName(profile), with: key.scalar)
        return key
    }

    /// Writes a secret to a file that holds none. The former content is kept beside it.
    func replaceUnusable(_ name: String, with secret: borrowing Secret) throws(ChannelError) {
        do throws(StorageError) {
            if let unusable = try readSecret(name, limit: PairingStore.limit) {
                try write(name + ".unusable", unusable.bytes)
            }
            try write(name, secret.bytes)
        } catch {
            throw .storage(error)
        }
    }

    private static func hostKeyName(_ profile: Profile) -> String { "host." + profile.rawValue.hexadecimal(digits: 2) }
}
