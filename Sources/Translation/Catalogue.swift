// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess

/// A file of translations, as msgfmt(1) writes it: "GNU gettext", "The Format of GNU MO Files".
///
/// The library runs in other programs' processes, whose locale it must not set, and which may have none. So it reads
/// the file itself. Nothing in the file is trusted: every offset is checked before it is read, and malformed entries
/// have no translation.
package struct Catalogue: Sendable {
    /// The longest file.
    package static let limit = 4 << 20
    /// Bytes of the header: magic number, revision, count, and the places of both tables.
    private static let header = 20

    private let bytes: [UInt8]
    /// Whether its numbers have their least significant byte first.
    private let isLittle: Bool
    /// The number of texts.
    let count: Int
    private let keys: Int
    private let texts: Int

    /// - Returns: nil if these are not the bytes of such a file.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.header, bytes.count <= Self.limit else { return nil }
        let isLittle: Bool
        switch Array(bytes[..<4]) {
        case [0xDE, 0x12, 0x04, 0x95]: isLittle = true
        case [0x95, 0x04, 0x12, 0xDE]: isLittle = false
        default: return nil
        }
        func number(_ place: Int) -> Int { Self.number(in: bytes, at: place, isLittle) ?? 0 }
        let count = number(8)
        // The first half of the revision is the form's.
        guard number(4) >> 16 == 0, count <= bytes.count / 16 else { return nil }
        (keys, texts) = (number(12), number(16))
        guard max(keys, texts) <= bytes.count - 8 * count else { return nil }
        (self.bytes, self.isLittle, self.count) = (bytes, isLittle, count)
    }

    /// Reads a file; nil if it is missing or malformed.
    package init?(path: String) {
        let file = StandardDescriptors.avoid(otherwise: -1) {
            unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        }
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (Self.header...Self.limit).contains(Int(status.st_size))
        else { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            while count < buffer.count {
                let piece = unsafe read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                guard piece > 0 else { break }
                count += piece
            }
        }
        self.init(bytes)
    }

    /// The translation of a text; nil if not found.
    package subscript(key: String) -> String? {
        // The empty key has the catalogue's own description.
        guard !key.isEmpty else { return nil }
        let wanted = Array(key.utf8)
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            guard let found = self.key(middle) else { return nil }
            if found.elementsEqual(wanted) { return text(middle) }
            range = wanted.lexicographicallyPrecedes(found) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return nil
    }

    func key(_ index: Int) -> ArraySlice<UInt8>? { entry(index, of: keys) }

    /// The translation at a place; nil if it is empty or no UTF-8.
    func text(_ index: Int) -> String? {
        guard let text = entry(index, of: texts), !text.isEmpty else { return nil }
        return String(validating: text, as: UTF8.self)
    }

    /// A text of a table: its length and its place, of which the table has a pair for each.
    private func entry(_ index: Int, of table: Int) -> ArraySlice<UInt8>? {
        guard let length = number(at: table + 8 * index), let place = number(at: table + 8 * index + 4),
            place <= bytes.count, length <= bytes.count - place
        else { return nil }
        return bytes[place..<place + length]
    }

    private func number(at place: Int) -> Int? { Self.number(in: bytes, at: place, isLittle) }

    /// A number of four bytes; nil if it is not in the file.
    private static func number(in bytes: [UInt8], at place: Int, _ isLittle: Bool) -> Int? {
        guard place >= 0, place <= bytes.count - 4 else { return nil }
        let four = bytes[place..<place + 4]
        return (isLittle ? Array(four.reversed()) : Array(four)).reduce(0) { $0 << 8 | Int($1) }
    }
}
