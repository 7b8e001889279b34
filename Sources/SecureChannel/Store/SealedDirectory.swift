// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import Storage

/// A directory of sealed files that other programs replicate between a user's machines, and the key of all seals, which
/// is in a directory of this machine and is not replicated.
///
/// The name of a file means nothing: a copy under whatever name a synchroniser invents is as good as the original.
/// Files that do not open are left alone.
struct SealedDirectory: Sendable {
    /// The directory of this machine.
    let local: Directory
    /// The replicated directory.
    let shared: Directory
    let kind: SealedFile.Kind
    /// Source of seals and their key.
    let random: any RandomSource

    /// The key's file in the local directory.
    static let keyName = "key"
    static let keySize = 32

    /// Opens both directories.
    ///
    /// - Parameter create: Whether to make missing directories. A replicated directory that is gone after it was in
    ///   use, when there is a key, is never made.
    /// - Returns: nil if they do not exist and are not to be created.
    static func open(
        _ path: String, local: String, kind: SealedFile.Kind, create: Bool, random: any RandomSource,
        patience: Int = Directory.patience
    ) throws(StorageError) -> SealedDirectory? {
        guard let local = try Directory.own(local, create: create, patience: patience) else { return nil }
        let isNew = try !local.names().contains(keyName)
        let shared: Directory
        do throws(StorageError) {
            shared = try Directory(path: path, create: create && isNew, access: .replicated)
        } catch .notFound where isNew && !create {
            return nil
        }
        return SealedDirectory(local: local, shared: shared, kind: kind, random: random)
    }

    /// Makes the key if it is missing or unusable. Called without the lock.
    func makeKey() throws(ChannelError) {
        guard try existingKey() == nil else { return }
        try local.withLock(failure: ChannelError.storage) { () throws(ChannelError) in
            guard try existingKey() == nil else { return }
            let key = try drawing { () throws(RandomUnavailable) in try random.secret(SealedDirectory.keySize) }
            try local.replaceUnusable(SealedDirectory.keyName, with: key)
        }
    }

    /// The key of all seals; nil if it is missing or unusable.
    func existingKey() throws(ChannelError) -> Secret? {
        let key = try storing { () throws(StorageError) in
            try local.readSecret(SealedDirectory.keyName, limit: PairingStore.limit)
        }
        guard let key, key.count == SealedDirectory.keySize else { return nil }
        return key
    }

    /// The number of files that are searched for entries.
    static let entryLimit = 1024
    /// The number of names that are read to find those.
    private static let nameLimit = 32_768

    /// The names of the files to search, whatever they hold. If there are too many, those that are named as entries, or
    /// as a synchroniser's copies of such, come first: the rest counts as missing.
    func entryNames() throws(ChannelError) -> [String] {
        let names = try storing { () throws(StorageError) in try possibleNames() }
        guard names.count > Self.entryLimit else { return names }
        let likely = names.filter { $0.mentions(kind.suffix) }
        return Array((likely + names.filter { !$0.mentions(kind.suffix) }).prefix(Self.entryLimit))
    }

    /// Whether there are more files than are looked through.
    func isCrowded() throws(StorageError) -> Bool { try possibleNames().count > Self.entryLimit }

    /// Without those that are known to be something else.
    private func possibleNames() throws(StorageError) -> [String] {
        try shared.names(limit: Self.nameLimit).filter { !$0.hasSuffix(SealedFile.Kind.secretSuffix) }
    }

    /// The names of all files, whatever they hold.
    func names() throws(ChannelError) -> [String] { try storing { () throws(StorageError) in try shared.names() } }

    /// The bytes of a file; nil if it cannot be one of ours.
    func bytes(of name: String) throws(ChannelError) -> [UInt8]? {
        do throws(StorageError) {
            return try shared.read(name, limit: kind.limit)
        } catch {
            switch error {
            case .denied, .tooLarge: return nil
            default: throw .storage(error)
            }
        }
    }

    func seal(
        _ content: borrowing Secret, identity: [UInt8], key: borrowing Secret
    ) throws(ChannelError) -> [UInt8] {
        try SealedFile.seal(content, identity: identity, key: key, random: random, kind: kind)
    }

    /// Replaces a file as a whole, or makes it.
    ///
    /// - Parameter writer: A part of the file's name, if each machine has a file of its own.
    func write(_ file: [UInt8], identity: [UInt8], writer: [UInt8]? = nil) throws(ChannelError) {
        try storing { () throws(StorageError) in try shared.write(name(identity, writer), file.span) }
    }

    /// The name that an entry's file is given.
    func name(_ identity: [UInt8], _ writer: [UInt8]? = nil) -> String {
        [identity, writer].compactMap { $0.map(\.hexadecimal) }.joined(separator: ".") + kind.suffix
    }
}

extension Directory {
    /// A directory of the user's own on this machine; nil if it does not exist and is not to be created.
    static func own(_ path: String, create: Bool, patience: Int) throws(StorageError) -> Directory? {
        do throws(StorageError) {
            return try Directory(path: path, create: create, patience: patience)
        } catch .notFound where !create {
            return nil
        }
    }
}
