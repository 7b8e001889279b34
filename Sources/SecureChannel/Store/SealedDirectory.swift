// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
package import Secrets
package import Storage

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
        let likely = names.filter { $0.contains(kind.suffix) }
        return Array((likely + names.filter { !$0.contains(kind.suffix) }).prefix(Self.entryLimit))
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
        [identity, writer].compactMap { $0.map(hexadecimal) }.joined(separator: ".") + kind.suffix
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

/// A file of a sealed directory: an entry's identity in the clear, its content enciphered and authenticated with it.
///
///     magic ‖ identity, 16 bytes ‖ salt, 32 bytes ‖ Kuznyechik-MGM(K, ICN 0^16, all before ‖ context, content) ‖ tag
///     K = KDF_GOSTR3411_2012_256(key, label, identity ‖ salt)
///
/// The tag has 16 bytes. The salt is random and new in each file, so that no key enciphers twice.
struct SealedFile: ~Copyable {
    /// Names the entry: all files of this identity are states of the same one.
    let identity: [UInt8]
    let salt: [UInt8]
    let content: Secret

    /// The kind of the files in a directory.
    struct Kind: Sendable {
        /// The beginning of every file. The last byte is the version of the format.
        let magic: [UInt8]
        /// The label of the keys' derivation.
        let label: [UInt8]
        /// Data that are authenticated with a file, and not in it.
        let context: [UInt8]
        /// The end of a file's name.
        let suffix: String
        /// The greatest size of a file that is read.
        let limit: Int

        /// A pairing with a token.
        static let pairing = Kind(
            magic: Array("Kanal sealed pairing".utf8) + [1], label: Array("Kanal pairing".utf8), context: [],
            suffix: ".pairing", limit: PairingStore.limit)

        static let secretSuffix = ".secret"

        /// A secret of an access group.
        static func secret(of group: [UInt8]) -> Kind {
            Kind(
                magic: Array("Kanal sealed secret".utf8) + [1], label: Array("Kanal secret".utf8), context: group,
                suffix: secretSuffix, limit: SecretStore.valueLimit + 2048)
        }
    }

    static let identitySize = 16
    private static let nonce = [UInt8](repeating: 0, count: Kuznyechik.blockSize)

    /// Opens a file; nil if it is malformed, changed, or sealed under a different key. Constant time in its secret
    /// inputs.
    init?(opening file: [UInt8], key: borrowing Secret, kind: Kind = .pairing) {
        var cursor = ByteCursor(file)
        guard let magic = try? cursor.bytes(kind.magic.count), magic == kind.magic,
            let identity = try? cursor.bytes(16), let salt = try? cursor.bytes(32)
        else { return nil }
        let header = magic + identity + salt + kind.context
        let sealed = cursor.rest()
        guard let cipher = try? SealedFile.cipher(identity, salt, key, kind) else { return nil }
        guard
            let content = try? cipher.open(sealed.span, nonce: SealedFile.nonce.span, authenticating: header.span)
        else { return nil }
        self.identity = identity
        self.salt = salt
        self.content = content
    }

    /// The possible identities of a file that does not open: the beginning of its name, and the bytes behind the magic
    /// of any version. A damaged file may have kept only one of them.
    static func identities(name: String, file: [UInt8], kind: Kind = .pairing) -> [[UInt8]] {
        var identities: [[UInt8]] = []
        let digits = name.utf8.prefix(32).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        if digits.count == 32 {
            identities.append(stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
        }
        var cursor = ByteCursor(file)
        if let start = try? cursor.bytes(kind.magic.count), start.dropLast() == kind.magic.dropLast(),
            let identity = try? cursor.bytes(16)
        {
            identities.append(identity)
        }
        return identities
    }

    /// A file with this content. Constant time in its secret inputs.
    static func seal(
        _ content: borrowing Secret, identity: [UInt8], key: borrowing Secret, random: any RandomSource,
        kind: Kind = .pairing
    ) throws(ChannelError) -> [UInt8] {
        let salt = try drawing { () throws(RandomUnavailable) in try random.bytes(32) }
        let header = kind.magic + identity + salt
        let authenticated = header + kind.context
        do throws(GOSTError) {
            let cipher = try cipher(identity, salt, key, kind)
            let sealed = try cipher.seal(content.bytes, nonce: nonce.span, authenticating: authenticated.span)
            return header + [UInt8](copying: sealed)
        } catch {
            throw ChannelError(error)
        }
    }

    private static func cipher(
        _ identity: [UInt8], _ salt: [UInt8], _ key: borrowing Secret, _ kind: Kind
    ) throws(GOSTError) -> MGM<Kuznyechik> {
        let seed = identity + salt
        let key = KDF.derive(key: key.bytes, label: kind.label.span, seed: seed.span)
        return try MGM<Kuznyechik>(key: key.bytes)
    }
}

/// A directory of the user's own, of files that can be recreated at any time. They are enciphered and authenticated
/// under a key of the user's, which is stored beside them. A changed file counts as missing.
package struct SealedCache: Sendable {
    private let directory: SealedDirectory

    /// The greatest content that is kept.
    package static let limit = 1 << 20

    /// Finds the directory; it is the user's, and not accessible to others.
    ///
    /// - Parameter create: Whether to make it.
    /// - Returns: nil if it does not exist and is not to be created.
    package init?(path: String, create: Bool, random: any RandomSource) throws(StorageError) {
        // Never wait for another process.
        guard let own = try Directory.own(path, create: create, patience: 0) else { return nil }
        directory = SealedDirectory(local: own, shared: own, kind: .cache, random: random)
    }

    /// The content under an identity of 16 bytes; nil if it is missing or cannot be trusted.
    package func content(of identity: [UInt8]) -> [UInt8]? {
        guard let bytes = try? directory.bytes(of: directory.name(identity)), let key = try? directory.existingKey(),
            let file = SealedFile(opening: bytes, key: key, kind: .cache), file.identity == identity
        else { return nil }
        return [UInt8](copying: file.content)
    }

    /// Stores a content under the identity, in place of the former one. It is replaced as a whole or not at all.
    package func keep(_ content: [UInt8], as identity: [UInt8]) throws(ChannelError) {
        guard content.count <= Self.limit else { return }
        try directory.makeKey()
        guard let key = try directory.existingKey() else { return }
        let secret = Secret(copying: content)
        let file = try directory.seal(secret, identity: identity, key: key)
        try directory.write(file, identity: identity)
    }
}

extension SealedFile.Kind {
    /// The public content of a token.
    fileprivate static let cache = SealedFile.Kind(
        magic: Array("Kanal sealed cache".utf8) + [1], label: Array("Kanal cache".utf8), context: [], suffix: ".cache",
        limit: SealedCache.limit + 128)
}
