import APDU
import Secrets

extension Token {
    static let indexFile: UInt16 = 0x8000

    /// The index of keys; nil if there is none yet.
    func readIndex() throws(TokenError) -> ObjectIndex? {
        let file = FilePath.objects.file(Self.indexFile)
        return try optional { () throws(TokenError) in try read(file) }.flatMap(ObjectIndex.init(parsing:))
    }

    /// Stores records and then enters them in the index, so that a cut in between leaves nothing visible.
    ///
    /// - Returns: The records' files, in their order.
    func store(_ records: [ObjectRecord]) throws(TokenError) -> [UInt16] {
        var index = try openIndex()
        var files: [UInt16] = []
        for record in records {
            let file = try freeFile()
            guard index.insert(file) else { throw .memoryFull }
            let content = record.encoded
            try select(.objects)
            try create(file, type: [0x01, 0x00], size: content.count, access: record.access)
            try updateSelected(content)
            files.append(file)
        }
        try select(FilePath.objects.file(Self.indexFile))
        try updateSelected(index.changes.bytes, at: index.changes.offset)
        cache = nil
        return files
    }

    /// Takes a record out of the index and then deletes it, so that a cut in between leaves nothing half visible.
    func removeRecord(_ file: UInt16) throws(TokenError) {
        guard var index = try readIndex(), index.remove(file) else { throw .notFound }
        cache = nil
        try select(FilePath.objects.file(Self.indexFile))
        try updateSelected(index.changes.bytes, at: index.changes.offset)
        try delete(file, in: .objects)
    }

    /// The index of keys, made if there is none, or if making it was cut short.
    private func openIndex() throws(TokenError) -> ObjectIndex {
        let file = FilePath.objects.file(Self.indexFile)
        if let content = try optional({ () throws(TokenError) in try read(file) }) {
            if let index = ObjectIndex(parsing: content) { return index }
            guard content.allSatisfy({ $0 == 0 }) else { throw .malformedAnswer }
            try updateSelected(ObjectIndex.header)
            return ObjectIndex()
        }
        try select(.objects)
        try create(
            Self.indexFile, type: [0x01, 0x00], size: ObjectIndex.size, access: [0x43, 0x00, 0x02, 0, 0, 0, 0, 0x02])
        try updateSelected(ObjectIndex.header)
        return ObjectIndex()
    }

    /// A random identifier that no file in the directory of objects has.
    private func freeFile() throws(TokenError) -> UInt16 {
        for _ in 0..<64 {
            let bytes: [UInt8]
            do { bytes = try settings.random.bytes(2) } catch { throw .link(.randomUnavailable) }
            let file = UInt16(bytes[0] & 0x7F) << 8 | UInt16(bytes[1])
            guard file != 0, file != 0x1001 else { continue }
            let path = FilePath.objects.file(file)
            if try optional({ () throws(TokenError) in try select(path) }) == nil { return file }
        }
        throw .memoryFull
    }
}

extension ObjectRecord {
    /// Access conditions of the record's file: who may read, update and delete it.
    fileprivate var access: [UInt8] {
        switch kind {
        case .publicKey: [0x43, 0x00, 0x02, 0, 0, 0, 0, 0x02]
        case .privateKey: [0x43, 0x02, 0x02, 0, 0, 0, 0, 0x02]
        case .certificate: [0x43, 0x00, 0x00, 0, 0, 0, 0, 0x02]
        }
    }
}
