// SPDX-License-Identifier: Apache-2.0
import APDU

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
            case .whole(let octets): bytes.append(.whole, path, octets)
            case .start(let octets): bytes.append(.start, path, octets)
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
        let octets = try cursor.bytes(length)
        switch kind {
        case .whole: contents[path] = .whole(octets)
        case .start: contents[path] = .start(octets)
        case .closed: contents[path] = .closed
        case .absent: contents[path] = .absent
        case .template: templates[path] = octets
        case nil: throw MalformedBytes()
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ kind: KnownFiles.Kind, _ path: FilePath, _ octets: [UInt8]) {
        append(kind.rawValue)
        append(UInt8(truncatingIfNeeded: path.identifiers.count))
        self += path.bytes
        appendUInt16(octets.count)
        self += octets
    }
}
