// SPDX-License-Identifier: Apache-2.0

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
    /// The templates of key files, as the card says them.
    var templates: [FilePath: [UInt8]] = [:]
}

extension KnownFiles.Content {
    /// All of the file; nil if that is not known, or not for everybody.
    var whole: [UInt8]? { if case .whole(let bytes) = self { bytes } else { nil } }

    /// The record in the file; nil without one that this login may read.
    var record: ObjectRecord? {
        switch self {
        case .whole(let bytes): ObjectRecord(parsing: bytes)
        case .start(let bytes): ObjectRecord(parsing: bytes, isStart: true)
        case .closed, .absent: nil
        }
    }
}

extension KnownFiles {
    /// Whether each certificate is known to be one that every program may read: those of the vendor's index, and those
    /// that OpenSC's files describe.
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

extension Token {
    /// Whether each certificate is known to be one that every program may read without a login, by the last search.
    package var showsEveryCertificate: Bool { session.known.files?.showsEveryCertificate ?? false }
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

    /// Takes up the known files, if they are still true, for a search to complete them.
    func takeUpFiles() {
        notes.files = KnownFiles()
        guard notes.hasAsked, let counter = session.known.changeCounter, let files = session.known.files,
            files.changeCounter == counter
        else { return session.known.files = nil }
        notes.files = files
    }

    /// Caches the known files until the change counter moves.
    func keepFiles() {
        let counter = session.known.changeCounter
        guard var files = notes.files, let counter else { return }
        notes.files = nil
        files.changeCounter = counter
        session.know(files)
    }

    /// The known content of a file; nil if that is less than is wanted.
    func known(_ path: FilePath, _ extent: Extent) -> KnownFiles.Content? {
        let known = notes.files?.contents[path]
        switch known {
        case .start where extent == .whole: return nil
        case .closed where login != nil: return nil
        default: return known
        }
    }

    /// The known beginning of a file.
    func knownStart(_ path: FilePath) -> [UInt8] {
        if case .start(let bytes)? = notes.files?.contents[path] { bytes } else { [] }
    }

    /// Notes the content that was read of a file.
    ///
    /// - Parameter isOpen: Whether everybody may read it; nil if the card did not say.
    func know(_ path: FilePath, _ content: KnownFiles.Content, isOpen: Bool? = nil) {
        let wasOpen: Bool
        if case .start? = notes.files?.contents[path] { wasOpen = true } else { wasOpen = false }
        if isOpen ?? (login == nil || wasOpen) {
            notes.files?.contents[path] = content
        } else if isOpen == false {
            notes.files?.contents[path] = .closed
        }
    }

    /// Forgets a file that is about to be made or deleted.
    func forget(_ path: FilePath) {
        notes.files?.contents[path] = nil
        notes.files?.templates[path] = nil
    }
}
