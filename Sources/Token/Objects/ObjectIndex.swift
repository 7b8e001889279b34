// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets

/// The list of the records' files: a header of six bytes, then their identifiers, little-endian, 0 where unused.
package struct ObjectIndex {
    static let size = 256
    private static let headerSize = 6
    /// Two bytes that name the kind of index, the version and the size.
    package let header: [UInt8]
    /// Set in the identifier of a record that was deleted.
    private static let deleted: UInt16 = 0x8000

    private var entries: [UInt16]
    /// The entries that differ from the card's.
    private var changed: Range<Int>?

    /// An index of nothing.
    package init(magic: [UInt8] = Array("RP".utf8)) {
        header = magic + [0x01, 0x00, 0x00, 0x01]
        entries = Array(repeating: 0, count: (Self.size - Self.headerSize) / 2)
    }

    /// - Returns: nil if the bytes are not an index.
    package init?(parsing bytes: [UInt8], magic: [UInt8] = Array("RP".utf8)) {
        guard bytes.count >= Self.headerSize, bytes.starts(with: magic) else { return nil }
        header = Array(bytes.prefix(Self.headerSize))
        var cursor = ByteCursor(bytes.dropFirst(Self.headerSize))
        entries = []
        while let entry = try? cursor.littleEndianUInt16() { entries.append(UInt16(truncatingIfNeeded: entry)) }
    }

    /// Whether no record can follow: the index has an entry that was never used, or all entries.
    var isComplete: Bool { entries.contains(0) || hasAllEntries }

    /// Whether all places are known, also the unused ones: what a search reads can end behind the first of these.
    var hasAllEntries: Bool { entries.count >= (Self.size - Self.headerSize) / 2 }

    /// Whether an index that begins so was read as far as it lists records.
    static func isComplete(_ start: [UInt8]) -> Bool {
        [RecordDirectory.keys, .data].contains { ObjectIndex(parsing: start, magic: $0.magic)?.isComplete == true }
    }

    /// The files of all records that exist.
    package var files: [UInt16] { entries.filter { $0 != 0 && $0 & Self.deleted == 0 } }

    /// Enters a record in an unused place, or else in the place of a deleted one.
    ///
    /// - Returns: Whether there was a place.
    package mutating func insert(_ file: UInt16) -> Bool {
        replace(entries.firstIndex(of: 0) ?? entries.firstIndex { $0 & Self.deleted != 0 }, with: file)
    }

    /// Enters a record in the place of another one: a write of two bytes, so that always one of the two is listed.
    ///
    /// - Returns: Whether there was the other one.
    package mutating func replace(_ old: UInt16, by file: UInt16) -> Bool {
        replace(entries.firstIndex(of: old), with: file)
    }

    /// Marks a record as deleted.
    ///
    /// - Returns: Whether there was one.
    package mutating func remove(_ file: UInt16) -> Bool {
        replace(entries.firstIndex(of: file), with: file | Self.deleted)
    }

    /// The bytes to write into the index file, and their offset, so that the card has these entries: one write, so that
    /// records entered together appear together.
    package var changes: (offset: Int, bytes: [UInt8]) {
        var bytes: [UInt8] = []
        let changed = changed ?? 0..<0
        for entry in entries[changed] { bytes.appendLittleEndianUInt16(Int(entry)) }
        return (Self.headerSize + 2 * changed.lowerBound, bytes)
    }

    /// The whole index, as far as it was read.
    var content: [UInt8] {
        var bytes = header
        for entry in entries { bytes.appendLittleEndianUInt16(Int(entry)) }
        return bytes
    }

    private mutating func replace(_ index: Int?, with entry: UInt16) -> Bool {
        guard let index else { return false }
        entries[index] = entry
        changed = min(changed?.lowerBound ?? index, index)..<max(changed?.upperBound ?? 0, index + 1)
        return true
    }
}
