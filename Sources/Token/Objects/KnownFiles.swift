// SPDX-License-Identifier: Apache-2.0

import APDU
import Logging
import SecureChannel
import Storage

/// The known files of a card, and the state of the card they were read in: what everybody may read, and which files are
/// closed. A search reads what is missing.
package struct KnownFiles: Sendable, Equatable {
    /// The known content of one file.
    enum Content: Sendable, Equatable {
        /// All of it.
        case whole([UInt8])
        /// The description of an object; its value follows.
        case start([UInt8])
        /// Not everybody may read it.
        case closed
        /// The file does not exist.
        case absent
    }

    var changeCounter: UInt32 = 0
    var contents: [FilePath: Content] = [:]
    /// The templates of key files, as the card returns them.
    var templates: [FilePath: [UInt8]] = [:]
}

extension KnownFiles.Content {
    /// All of the file; nil if that is not known, or not for everybody.
    var whole: [UInt8]? { if case .whole(let bytes) = self { bytes } else { nil } }

    /// The record in the file; nil without a record that this login may read.
    var record: ObjectRecord? {
        switch self {
        case .whole(let bytes): ObjectRecord(parsing: bytes)
        case .start(let bytes): ObjectRecord(parsing: bytes, isStart: true)
        case .closed, .absent: nil
        }
    }
}

extension KnownFiles {
    /// Whether each certificate is known to be readable by every program: certificates of the vendor's index, and
    /// certificates that OpenSC's files describe.
    var showsEveryCertificate: Bool {
        let directory = RecordDirectory.certificates
        guard let index = contents[directory.index], let list = contents[PKCS15Directories.file] else { return false }
        let records = index.whole.flatMap { ObjectIndex(parsing: $0, magic: directory.magic) }?.files ?? []
        let directories = list.whole.map { PKCS15Directories(parsing: $0).files } ?? []
        let described = directories.filter { $0.kind == .certificates }.map { contents[$0.path]?.whole }
        let entries = described.flatMap { PKCS15Entry.entries(in: $0 ?? []) }
        guard index != .closed, list != .closed, !described.contains(nil), !entries.contains(where: \.isPrivate) else {
            return false
        }
        return (records.map(directory.file) + entries.map(\.path)).allSatisfy { path in
            switch contents[path] {
            case .whole, .start: true
            case .closed, .absent, nil: false
            }
        }
    }
}

extension ConnectedToken {
    /// Whether each certificate is known to be readable by every program without a login, by the last search.
    package var showsEveryCertificate: Bool {
        // Those in containers are User's.
        guard session.known.hasContainers != true else { return false }
        return session.known.files?.showsEveryCertificate ?? false
    }
}

/// The files that are known while a search or a change goes on.
extension Transaction {
    /// How much of files is wanted.
    enum Extent {
        case whole
        /// Of records, the description of their objects.
        case description
        /// Of indexes, the list of records.
        case index
    }

    /// Loads the known files, if they are still true, for a search to complete them.
    func loadCache() {
        state.files = KnownFiles()
        guard state.hasAsked, let counter = session.known.changeCounter, let files = session.known.files,
            files.changeCounter == counter
        else { return session.known.files = nil }
        state.files = files
    }

    /// Caches the known files until the change counter moves.
    func storeCache() {
        let counter = session.known.changeCounter
        guard var files = state.files, let counter else { return }
        state.files = nil
        files.changeCounter = counter
        session.cache(files)
    }

    /// The known content of a file; nil if that is less than is wanted.
    func known(_ path: FilePath, _ extent: Extent) -> KnownFiles.Content? {
        let known = state.files?.contents[path]
        switch known {
        case .start where extent == .whole: return nil
        case .closed where login != nil: return nil
        default: return known
        }
    }

    /// The known beginning of a file.
    func knownStart(_ path: FilePath) -> [UInt8] {
        if case .start(let bytes)? = state.files?.contents[path] { bytes } else { [] }
    }

    /// Notes the content that was read of a file.
    ///
    /// - Parameter isOpen: Whether everybody may read it; nil if the card did not say.
    func cache(_ path: FilePath, _ content: KnownFiles.Content, isOpen: Bool? = nil) {
        let wasOpen: Bool
        if case .start? = state.files?.contents[path] { wasOpen = true } else { wasOpen = false }
        // Everybody may see that a file is not there.
        if isOpen ?? (login == nil || wasOpen || content == .absent) {
            state.files?.contents[path] = content
        } else if isOpen == false {
            state.files?.contents[path] = .closed
        }
    }

    /// Forgets a file that is about to be made or deleted.
    func forget(_ path: FilePath) {
        state.files?.contents[path] = nil
        state.files?.templates[path] = nil
    }
}

/// The format of a token's known files on the disk: the counter, then an entry for each file, with a kind, a path, and
/// bytes. All numbers are big-endian.
extension KnownFiles {
    fileprivate enum Kind: UInt8 {
        case whole, start, closed, absent, template
    }

    /// Far more files than a search reads.
    private static let limit = 4 * SearchBudget.files

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendUInt32(changeCounter)
        for (path, content) in contents {
            switch content {
            case .whole(let content): bytes.append(.whole, path, content)
            case .start(let content): bytes.append(.start, path, content)
            case .closed: bytes.append(.closed, path, [])
            case .absent: bytes.append(.absent, path, [])
            }
        }
        for (path, template) in templates { bytes.append(.template, path, template) }
        return bytes
    }

    /// - Returns: nil for malformed bytes.
    package init?(parsing bytes: [UInt8]) {
        self.init()
        var cursor = ByteCursor(bytes)
        do throws(MalformedBytes) {
            changeCounter = try cursor.uint32()
            while !cursor.isAtEnd {
                guard contents.count + templates.count < Self.limit else { return nil }
                try readEntry(&cursor)
            }
        } catch {
            return nil
        }
    }

    private mutating func readEntry(_ cursor: inout ByteCursor) throws(MalformedBytes) {
        let kind = Kind(rawValue: try cursor.byte())
        let count = Int(try cursor.byte())
        var path = FilePath([])
        for _ in 0..<count { path.identifiers.append(UInt16(truncatingIfNeeded: try cursor.uint16())) }
        let length = try cursor.uint16()
        let bytes = try cursor.bytes(length)
        switch kind {
        case .whole: contents[path] = .whole(bytes)
        case .start: contents[path] = .start(bytes)
        case .closed: contents[path] = .closed
        case .absent: contents[path] = .absent
        case .template: templates[path] = bytes
        case nil: throw MalformedBytes()
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ kind: KnownFiles.Kind, _ path: FilePath, _ bytes: [UInt8]) {
        append(kind.rawValue)
        append(UInt8(truncatingIfNeeded: path.identifiers.count))
        self += path.bytes
        appendUInt16(bytes.count)
        self += bytes
    }
}

/// The public content of a token, cached on the disk for other processes if the user wants that. The change counter
/// shows whether it is still true; without it, or with a damaged or foreign file, everything is read from the token.
///
/// Only tokens with a channel are cached, which proves whose files and counter these are. A card without one can show
/// any serial number and counter, and its content would be shown for another token's for as long as that does not
/// change.
extension CardSession {
    /// Recalls the token's files from other connections, of this process or another.
    func recallFiles() {
        guard known.files == nil, !identity.serial.isEmpty else { return }
        if let files = tokens.files.value(serial: identity.serial, isProtected: isProtected) {
            known.files = files
            known.cached = files
        } else {
            known.files = cachedFiles()
        }
    }

    private func cachedFiles() -> KnownFiles? {
        guard known.cached == nil, let cache = cache(create: false) else { return nil }
        let files = cache.content(of: cacheIdentity).flatMap { KnownFiles(parsing: $0) }
        known.cached = files ?? KnownFiles()
        return files
    }

    /// Writes the known files to the disk, if they are new there. No token is held during that.
    func saveFiles() {
        guard settings.policy.cachesObjects, let files = known.files, files != known.cached, !identity.serial.isEmpty,
            let cache = cache(create: true)
        else { return }
        known.cached = files
        do throws(ChannelError) { try cache.keep(files.encoded, as: cacheIdentity) } catch {
            settings.log.notice(
                "what is known of the token cannot be kept: \(error)", metadata: ["reader": "\(identity.reader)"])
        }
    }

    private func cache(create: Bool) -> SealedCache? {
        guard isProtected, settings.policy.cachesObjects, let path = settings.cache else { return nil }
        do throws(StorageError) { return try SealedCache(path: path, create: create, random: settings.random) } catch {
            settings.log.notice("the cache in \(path) cannot be used: \(error)")
            return nil
        }
    }

    /// The serial number, and 01: it was read in a channel.
    private var cacheIdentity: [UInt8] {
        Array((identity.serial + [1] + [UInt8](repeating: 0, count: 16)).prefix(16))
    }
}
