// SPDX-License-Identifier: Apache-2.0
package import Foundation
import Synchronization

/// A file of published vectors, read as JSON.
///
/// The vectors are in `Tests/Vectors`, where a file names their sources.
@dynamicMemberLookup
package struct JSON: Sendable {
    private enum Node: Sendable {
        case null
        case text(String)
        case number(Double)
        case list([JSON])
        case object([String: JSON])
    }

    private let node: Node

    /// Of a number, Foundation asks last: to see whether a list is one, it makes objects of all that is in the list.
    private init(_ value: Any) {
        switch value {
        case let text as String: node = .text(text)
        case let list as [Any]: node = .list(list.map(JSON.init))
        case let object as [String: Any]: node = .object(object.mapValues(JSON.init))
        case let number as NSNumber: node = .number(number.doubleValue)
        default: node = .null
        }
    }

    /// Reads `name` (such as `streebog.json`) from the folder of vectors, once.
    package init(vectors name: String) throws {
        self = try Self.read.withLock { read in
            if let file = read[name] { return file }
            let file = try JSON(file: Self.folder.appending(path: name))
            read[name] = file
            return file
        }
    }

    /// Reads a file.
    package init(file: URL) throws {
        self = JSON(try JSONSerialization.jsonObject(with: Data(contentsOf: file)))
    }

    private static let read = Mutex<[String: JSON]>([:])

    /// The names of all files in the folder of vectors.
    package static func vectorFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
    }

    private static let folder = Project.tests.appending(path: "Vectors")

    package subscript(dynamicMember key: String) -> JSON { self[key] }

    package subscript(key: String) -> JSON {
        if case .object(let object) = node, let value = object[key] { value } else { JSON(NSNull()) }
    }

    package subscript(index: Int) -> JSON {
        list.indices.contains(index) ? list[index] : JSON(NSNull())
    }

    package var isNull: Bool { if case .null = node { true } else { false } }
    package var list: [JSON] { if case .list(let list) = node { list } else { [] } }
    package var object: [String: JSON] { if case .object(let object) = node { object } else { [:] } }
    package var text: String? { if case .text(let text) = node { text } else { nil } }
    package var number: Int? { if case .number(let number) = node { Int(number) } else { nil } }

    /// The bytes of a hexadecimal string; empty otherwise.
    package var bytes: [UInt8] { text.map { [UInt8](hex: $0) } ?? [] }
}

extension [UInt8] {
    /// The bytes that `hex` spells; all characters but hexadecimal digits are skipped.
    package init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits.
    package var hex: String { map { String(format: "%02x", $0) }.joined() }
}

/// An object identifier in DER, from its numbers with dots.
package func derObjectIdentifier(_ text: String) -> [UInt8] {
    let numbers = text.split(separator: ".").compactMap { Int($0) }
    guard numbers.count > 2 else { return [] }
    var value: [UInt8] = []
    for number in [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2) {
        var digits = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            digits.insert(UInt8(rest & 0x7F | 0x80), at: 0)
            rest >>= 7
        }
        value += digits
    }
    return [6, UInt8(value.count)] + value
}

/// The project's folders.
package enum Project {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    package static let tests = root.appending(path: "Tests")
}
