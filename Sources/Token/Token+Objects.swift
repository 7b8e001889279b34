import APDU
import Secrets

/// A directory of records with the index that lists them.
package struct Shelf: Equatable {
    let directory: FilePath
    let indexFile: UInt16
    /// The first two bytes of the index.
    package let magic: [UInt8]

    static let keys = Shelf(directory: .objects, indexFile: 0x8000, magic: Array("RP".utf8))
    static let certificates = Shelf(directory: [0x1000, 0x1001, 0x8001], indexFile: 0x8000, magic: Array("RP".utf8))
    /// The vendor's headers for these are not known, so they have an index of this project's own.
    package static let data = Shelf(directory: .objects, indexFile: 0x7E00, magic: Array("OS".utf8))

    var index: FilePath { directory.file(indexFile) }
    func file(_ identifier: UInt16) -> FilePath { directory.file(identifier) }
}

extension Transaction {
    /// The index of a shelf; nil if there is none yet.
    func readIndex(of shelf: Shelf) throws(TokenError) -> ObjectIndex? {
        try optional { () throws(TokenError) in try read(shelf.index) }
            .flatMap { ObjectIndex(parsing: $0, magic: shelf.magic) }
    }

    /// Stores records and then enters them in the index, so that a cut in between leaves nothing visible.
    ///
    /// - Parameter old: The file of a record that these take the place of.
    /// - Returns: The records' files, in their order.
    func store(
        _ records: [ObjectRecord], on shelf: Shelf = .keys, replacing old: UInt16? = nil
    ) throws(TokenError) -> [UInt16] {
        let annotated = records.map { ($0, ObjectAnnotation()) }
        return try store(annotated, on: shelf, replacing: old).map(\.file)
    }

    /// As ``store(_:on:replacing:)``, with annotations. They are stored before what they belong to.
    ///
    /// - Returns: The records' files, and the annotations with theirs, in their order.
    func store(
        _ records: [(ObjectRecord, ObjectAnnotation)], on shelf: Shelf, replacing old: UInt16? = nil
    ) throws(TokenError) -> [(file: UInt16, annotation: ObjectAnnotation)] {
        var index = try openIndex(of: shelf)
        objectsChanged()
        if let old { guard index.remove(old) else { throw .notFound } }
        var stored: [(file: UInt16, annotation: ObjectAnnotation)] = []
        do throws(TokenError) {
            for (record, annotation) in records {
                let file = try freeFile(in: shelf.directory)
                guard index.insert(file) else { throw .memoryFull }
                stored.append((file, annotation))
                try createFile(file, in: shelf.directory, record.encoded, access: record.access)
                guard !annotation.isEmpty else { continue }
                var note = ObjectRecord(annotation, of: file, on: shelf)
                note.isPrivate = annotation.isPrivate || record.kind == .privateKey
                stored[stored.count - 1].annotation.file = try store([note], on: .data).first ?? 0
            }
            try perform([selection(shelf.index)] + updates(index.changes.bytes, at: index.changes.offset))
        } catch {
            // What is not in the index takes up memory only.
            for (file, _) in stored { try? delete(file, in: shelf.directory) }
            throw error
        }
        if let old { try delete(old, in: shelf.directory) }
        return stored
    }

    /// Creates a file with its content.
    func createFile(
        _ file: UInt16, in directory: FilePath, _ content: [UInt8], access: AccessConditions
    ) throws(TokenError) {
        guard content.count < 0x8000 else { throw .memoryFull }
        try perform(
            [selection(directory), .create(file, .elementary, size: content.count, access: access)] + updates(content))
    }

    /// Takes a record out of the index and then deletes it, so that a cut in between leaves nothing half visible.
    func removeRecord(
        _ file: UInt16, from shelf: Shelf, annotation: ObjectAnnotation = ObjectAnnotation()
    ) throws(TokenError) {
        guard var index = try readIndex(of: shelf), index.remove(file) else { throw .notFound }
        objectsChanged()
        try perform([selection(shelf.index)] + updates(index.changes.bytes, at: index.changes.offset))
        try delete(file, in: shelf.directory)
        if annotation.file != 0 { try removeAnnotation(annotation.file) }
    }

    /// Removes an annotation. That it is gone already is no error.
    func removeAnnotation(_ file: UInt16) throws(TokenError) {
        _ = try optional { () throws(TokenError) in try removeRecord(file, from: .data) }
    }

    /// What was known of the objects is past, and the change counter too.
    private func objectsChanged() {
        if let cache = session.known.objects, cache.changeCounter == session.known.changeCounter {
            notes.objectsBefore = cache.objects
        }
        session.known.objects = nil
        session.known.changeCounter = nil
    }

    /// Has what is known of the objects follow the change that this transaction has made. Nobody else could change
    /// anything meanwhile, so that the next search asks for the counter only.
    func objectsChanged(_ change: (inout TokenObjects) -> Void) {
        guard var objects = notes.objectsBefore, login == .user, (try? readChangeCounter()) != nil else { return }
        change(&objects)
        objects.completePublicKeys()
        session.know(objects)
    }

    /// The index of a shelf, made if there is none, or if making it was cut short.
    private func openIndex(of shelf: Shelf) throws(TokenError) -> ObjectIndex {
        let index = ObjectIndex(magic: shelf.magic)
        if let content = try optional({ () throws(TokenError) in try read(shelf.index) }) {
            if let index = ObjectIndex(parsing: content, magic: shelf.magic) { return index }
            guard content.allSatisfy({ $0 == 0 }) else { throw .malformedAnswer }
            try updateSelected(index.header)
            return index
        }
        let creation = CardCommand.create(
            shelf.indexFile, .elementary, size: ObjectIndex.size,
            access: .file(read: .anybody, update: .user, delete: .user))
        try perform([selection(shelf.directory), creation] + updates(index.header))
        return index
    }

    /// What no record may be called: ISO/IEC 7816-4, 5.3.1.1 gives 0000, 3F00 and 3FFF meanings of their own.
    private static let reservedFiles: [UInt16] = [0x0000, 0x3F00, 0x3FFF, 0x1001, Shelf.data.indexFile]

    /// A random identifier that no file in the directory has.
    func freeFile(in directory: FilePath) throws(TokenError) -> UInt16 {
        for _ in 0..<64 {
            let bytes: [UInt8]
            do { bytes = try settings.random.bytes(2) } catch { throw .link(.randomUnavailable) }
            let file = UInt16(bytes[0] & 0x7F) << 8 | UInt16(bytes[1])
            guard !Self.reservedFiles.contains(file) else { continue }
            let path = directory.file(file)
            if try optional({ () throws(TokenError) in try select(path) }) == nil { return file }
        }
        throw .memoryFull
    }
}

extension ObjectRecord {
    /// Who may read, update and delete the record's file.
    fileprivate var access: AccessConditions {
        switch kind {
        case .privateKey: .file(read: .user, update: .user, delete: .user)
        case .certificate where !isPrivate: .file(read: .anybody, update: .anybody, delete: .user)
        default: .file(read: isPrivate ? .user : .anybody, update: .user, delete: .user)
        }
    }
}
