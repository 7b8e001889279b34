import APDU

/// The attributes of one object as the vendor's format stores them: a header, then items.
struct ObjectRecord: Equatable {
    /// What the first two bytes say.
    enum Kind: String {
        case publicKey = "Pk"
        case privateKey = "Pr"
        case certificate = "Ct"
    }

    /// What an item holds.
    enum Item: Int {
        case label = 0x0000
        case id = 0x0002
        case value = 0x0008
        case gostR3410Parameters = 0x000C
        case gostR3411Parameters = 0x000D
        case gost28147Parameters = 0x000E
    }

    var kind: Kind
    /// The number of the key file; 0 for a certificate.
    var keyNumber: UInt8
    /// Items by their code, in the order of the record. Codes that nobody explained stay what they are.
    var items: [(code: Int, value: [UInt8])]

    init(kind: Kind, keyNumber: UInt8, items: [(Item, [UInt8])]) {
        self.kind = kind
        self.keyNumber = keyNumber
        self.items = items.map { ($0.0.rawValue, $0.1) }
    }

    /// - Returns: nil if this is not a record, or of a kind that is not known.
    init?(parsing bytes: [UInt8]) {
        var cursor = ByteCursor(bytes)
        guard let magic = try? cursor.bytes(2), let kind = Kind(rawValue: String(decoding: magic, as: UTF8.self)),
            (try? cursor.bytes(6)) != nil, let keyNumber = try? cursor.littleEndianUInt16()
        else { return nil }
        self.kind = kind
        self.keyNumber = UInt8(truncatingIfNeeded: keyNumber)
        items = []
        while !cursor.isAtEnd {
            guard let code = try? cursor.littleEndianUInt16(), let length = try? cursor.littleEndianUInt16(),
                let value = try? cursor.bytes(length)
            else { return nil }
            items.append((code, value))
        }
    }

    /// The record as it is stored.
    var encoded: [UInt8] {
        var bytes = Array(kind.rawValue.utf8) + [0x01, 0x00, 0x00, 0x00] + kind.flags
        bytes.appendLittleEndianUInt16(Int(keyNumber))
        for item in items {
            bytes.appendLittleEndianUInt16(item.code)
            bytes.appendLittleEndianUInt16(item.value.count)
            bytes += item.value
        }
        return bytes
    }

    subscript(item: Item) -> [UInt8]? { items.first { $0.code == item.rawValue }?.value }

    static func == (left: ObjectRecord, right: ObjectRecord) -> Bool { left.encoded == right.encoded }
}

extension ObjectRecord.Kind {
    /// Header bytes 6 and 7, as the vendor's library writes them for each kind.
    fileprivate var flags: [UInt8] {
        switch self {
        case .publicKey: [0x64, 0x00]
        case .privateKey: [0x4A, 0x01]
        case .certificate: [0x01, 0x00]
        }
    }
}

/// The list of the records' files: a header of six bytes, then their identifiers, little-endian, 0 where unused.
struct ObjectIndex {
    static let size = 256
    static let header: [UInt8] = [0x52, 0x50, 0x01, 0x00, 0x00, 0x01]
    /// Set in the identifier of a record that was deleted.
    private static let deleted: UInt16 = 0x8000

    private var entries: [UInt16]
    /// The entries that differ from what the card has.
    private var changed: Range<Int>?

    /// An index of nothing.
    init() { entries = Array(repeating: 0, count: (Self.size - Self.header.count) / 2) }

    /// - Returns: nil if the bytes are not an index.
    init?(parsing bytes: [UInt8]) {
        guard bytes.count >= Self.header.count, bytes.starts(with: [0x52, 0x50]) else { return nil }
        var cursor = ByteCursor(bytes.dropFirst(Self.header.count))
        entries = []
        while let entry = try? cursor.littleEndianUInt16() { entries.append(UInt16(truncatingIfNeeded: entry)) }
    }

    /// Whether no record can follow: what was read has an entry that was never used, or all entries.
    var isComplete: Bool { entries.contains(0) || entries.count >= (Self.size - Self.header.count) / 2 }

    /// The files of all records that exist.
    var files: [UInt16] { entries.filter { $0 != 0 && $0 & Self.deleted == 0 } }

    /// Enters a record, where nothing ever was or else in the place of a deleted one.
    ///
    /// - Returns: Whether there was a place.
    mutating func insert(_ file: UInt16) -> Bool {
        replace(entries.firstIndex(of: 0) ?? entries.firstIndex { $0 & Self.deleted != 0 }, with: file)
    }

    /// Marks a record as deleted.
    ///
    /// - Returns: Whether there was one.
    mutating func remove(_ file: UInt16) -> Bool {
        replace(entries.firstIndex(of: file), with: file | Self.deleted)
    }

    /// What to write into the index file, and where, so that the card has these entries: one write, so that records
    /// entered together appear together.
    var changes: (offset: Int, bytes: [UInt8]) {
        var bytes: [UInt8] = []
        let changed = changed ?? 0..<0
        for entry in entries[changed] { bytes.appendLittleEndianUInt16(Int(entry)) }
        return (Self.header.count + 2 * changed.lowerBound, bytes)
    }

    private mutating func replace(_ index: Int?, with entry: UInt16) -> Bool {
        guard let index else { return false }
        entries[index] = entry
        changed = min(changed?.lowerBound ?? index, index)..<max(changed?.upperBound ?? 0, index + 1)
        return true
    }
}
