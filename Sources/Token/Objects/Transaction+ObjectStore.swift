// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

extension Transaction {
    /// The index of a directory; nil if it does not exist yet.
    func readIndex(of directory: RecordDirectory) throws(TokenError) -> ObjectIndex? {
        try optional { () throws(TokenError) in try read(directory.index) }
            .flatMap { ObjectIndex(parsing: $0, magic: directory.magic) }
    }

    /// Stores objects of one kind, then enters them in the index, so that an interruption in between leaves nothing
    /// visible.
    ///
    /// - Parameters:
    ///   - record: The record of the only object, if it differs from the object's own.
    ///   - old: The file of a record that these replace.
    /// - Returns: The objects with their places.
    func store(
        _ objects: [TokenObject], as record: ObjectRecord? = nil, replacing old: UInt16? = nil
    ) throws(TokenError) -> [TokenObject] {
        guard let directory = objects.first?.directory else { return [] }
        let records = objects.map { ($0, record ?? $0.record) }
        var stored = objects
        let files = try store(records.map(\.1), in: directory, replacing: old) { index, file throws(TokenError) in
            stored[index].file = file
            stored[index].annotation = 0
            guard stored[index].needsAnnotation else { return false }
            let note = ObjectRecord(annotating: stored[index], in: file)
            stored[index].annotation = try store([note], in: .data).first ?? 0
            return true
        }
        return files.count == objects.count ? stored : []
    }

    /// - Parameter body: Runs when a record is stored, with its place in the list and file, and returns whether it has
    ///   sent commands.
    /// - Returns: The records' files.
    private func store(
        _ records: [ObjectRecord], in directory: RecordDirectory, replacing old: UInt16? = nil,
        _ body: (Int, UInt16) throws(TokenError) -> Bool = { _, _ in false }
    ) throws(TokenError) -> [UInt16] {
        var (index, isCurrent) = try openIndex(of: directory)
        var files: [UInt16] = []
        var isListed = false
        do throws(TokenError) {
            for record in records {
                let place = files.isEmpty ? old : nil
                let file = try createFile(
                    of: record, in: directory, replacing: place, &index, &files, isCurrent: isCurrent)
                let content: KnownFiles.Content = record.isClosed ? .closed : .whole(record.encoded)
                cache(directory.file(file), content, isOpen: true)
                // A new session of a channel has no current directory.
                isCurrent = try !body(files.count - 1, file) && isPlain
            }
            isListed = true
            try write(index, of: directory)
        } catch {
            // Without its answer, the index may name the files: they stay, and the old one does, too.
            if isListed, error.linkError != nil { throw error }
            // A file that is not in the index only takes up memory.
            var found = error
            for file in files {
                found = undoing(found) { () throws(TokenError) in try delete(file, in: directory.path) }
            }
            throw found
        }
        if let old { try delete(old, in: directory.path) }
        return files
    }

    /// Creates a record's file, under an identifier that no file in the directory has: the card refuses any other.
    ///
    /// - Parameters:
    ///   - old: The file whose place in the index it takes.
    ///   - index: Receives the file.
    ///   - files: Receives the file as soon as it may be there.
    ///   - isCurrent: Whether the directory is the current one.
    private func createFile(
        of record: ObjectRecord, in directory: RecordDirectory, replacing old: UInt16?, _ index: inout ObjectIndex,
        _ files: inout [UInt16], isCurrent: Bool
    ) throws(TokenError) -> UInt16 {
        let content = record.encoded
        guard content.count < 0x8000 else { throw .memoryFull }
        for _ in 0..<64 {
            let file = try randomFile()
            guard !index.files.contains(file) else { continue }
            var extended = index
            if let old {
                guard extended.replace(old, by: file) else { throw .notFound }
            } else {
                guard extended.insert(file) else { throw .memoryFull }
            }
            let creation = CardCommand.create(file, .elementary, size: content.count, access: record.access)
            do throws(TokenError) {
                try perform((isCurrent ? [] : [selection(directory.path)]) + [creation] + updates(content))
            } catch {
                // The file that has the identifier is not ours to delete.
                guard error != TokenError(.fileAlreadyExists) else { continue }
                files.append(file)
                throw error
            }
            files.append(file)
            index = extended
            return file
        }
        throw .memoryFull
    }

    /// Removes a record from the index and then deletes it, so that an interruption in between leaves nothing half
    /// visible.
    func removeRecord(_ file: UInt16, from directory: RecordDirectory) throws(TokenError) {
        guard var index = try readIndex(of: directory), index.remove(file) else { throw .notFound }
        try write(index, of: directory)
        try delete(file, in: directory.path)
    }

    /// Writes the changes of an index: from here on searches find them.
    private func write(_ index: ObjectIndex, of directory: RecordDirectory) throws(TokenError) {
        state.hasChangedIndex = true
        forget(directory.index)
        try perform([selection(directory.index)] + updates(index.changes.bytes, at: index.changes.offset))
        cache(directory.index, .whole(index.content), isOpen: true)
    }

    /// Removes the annotation of an object. Succeeds if already deleted.
    func removeAnnotation(of object: TokenObject) throws(TokenError) {
        guard object.annotation != 0 else { return }
        _ = try optional { () throws(TokenError) in try removeRecord(object.annotation, from: .data) }
    }

    /// Runs `body`, which changes objects and then calls ``objectsChanged(_:)``. If the card refuses it before
    /// anything changed that a search finds, as a full card does, the cache stays valid.
    func changing<Result>(_ body: () throws(TokenError) -> Result) throws(TokenError) -> Result {
        loadCache()
        state.objectsBefore = nil
        if let cache = session.known.objects, cache.changeCounter == session.known.changeCounter {
            state.objectsBefore = cache.objects
        }
        state.hasChangedIndex = false
        session.known.objects = nil
        session.known.files = nil
        session.known.changeCounter = nil
        do throws(TokenError) { return try body() } catch {
            if !state.hasChangedIndex, error.linkError == nil { objectsChanged { _ in } }
            throw error
        }
    }

    /// Applies this transaction's change to the known objects and files. Nothing else could change anything during it,
    /// so that the next search asks for the counter only.
    func objectsChanged(_ change: (inout [TokenObject]) -> Void) {
        let isKnown = state.objectsBefore != nil || state.files?.contents.isEmpty == false
        guard isKnown, login == .user, (try? readChangeCounter()) != nil else { return }
        if var objects = state.objectsBefore {
            change(&objects)
            guard (try? completePublicKeys(of: &objects)) != nil else { return }
            session.cache(objects)
        }
        storeCache()
    }

    /// The index of a directory, made if it is missing or incomplete; and whether the directory is the current one.
    private func openIndex(of directory: RecordDirectory) throws(TokenError) -> (ObjectIndex, isCurrent: Bool) {
        let index = ObjectIndex(magic: directory.magic)
        let content = known(directory.index, .index)
        if let index = content?.whole.flatMap({ ObjectIndex(parsing: $0, magic: directory.magic) }), index.hasAllEntries
        {
            return (index, false)
        }
        if content != .absent, let content = try optional({ () throws(TokenError) in try read(directory.index) }) {
            if let index = ObjectIndex(parsing: content, magic: directory.magic) { return (index, false) }
            guard content.allSatisfy({ $0 == 0 }) else { throw .malformedAnswer }
            try updateSelected(index.header)
            return (index, false)
        }
        let creation = CardCommand.create(
            directory.indexFile, .elementary, size: ObjectIndex.size,
            access: .file(read: .anybody, update: .user, delete: .user))
        forget(directory.index)
        try perform([selection(directory.path), creation] + updates(index.header))
        return (index, isPlain)
    }

    /// Identifiers that no record may have: ISO/IEC 7816-4, 5.3.1.1 reserves 0000, 3F00 and 3FFF.
    private static let reservedFiles: [UInt16] = [0x0000, 0x3F00, 0x3FFF, 0x1001, RecordDirectory.data.indexFile]

    /// A random identifier that no file in the directory has.
    func freeFile(in directory: FilePath) throws(TokenError) -> UInt16 {
        for _ in 0..<64 {
            let file = try randomFile()
            let path = directory.file(file)
            if try optional({ () throws(TokenError) in try select(path) }) == nil { return file }
        }
        throw .memoryFull
    }

    /// A random identifier that a record may have.
    private func randomFile() throws(TokenError) -> UInt16 {
        for _ in 0..<64 {
            let bytes: [UInt8]
            do { bytes = try settings.random.bytes(2) } catch { throw .link(.randomUnavailable) }
            let file = UInt16(bytes[0] & 0x7F) << 8 | UInt16(bytes[1])
            if !Self.reservedFiles.contains(file) { return file }
        }
        throw .memoryFull
    }
}

extension ObjectRecord {
    /// Whether not everybody may read the record's file.
    fileprivate var isClosed: Bool { isPrivate || kind == .privateKey }

    /// The access conditions of the record's file.
    fileprivate var access: AccessConditions {
        switch kind {
        case .privateKey: .file(read: .user, update: .user, delete: .user)
        case .certificate where !isPrivate: .file(read: .anybody, update: .anybody, delete: .user)
        default: .file(read: isPrivate ? .user : .anybody, update: .user, delete: .user)
        }
    }
}
