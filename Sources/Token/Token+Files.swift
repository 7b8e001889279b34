import APDU
import Secrets

/// A file's control parameters (ISO/IEC 7816-4, 5.3.3), as far as the driver uses them.
struct FileTemplate {
    /// Size in bytes (tag 80).
    var size = 0
    /// The six property bytes of a PIN or key file (tag 85).
    var properties: [UInt8] = []
    /// The access conditions (tag 86).
    var access: [UInt8] = []

    init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var outer = ByteCursor(bytes)
        var inner = ByteCursor(try outer.object().value)
        while !inner.isAtEnd {
            let (tag, value) = try inner.object()
            var cursor = ByteCursor(value)
            switch tag {
            case 0x80: size = try cursor.uint16()
            case 0x85: properties = value
            case 0x86: access = value
            default: break
            }
        }
    }
}

/// What CREATE FILE makes. The vendor's library says it in an order of its own for each kind.
enum FileKind {
    case directory, elementary, key
    /// A PIN, or the emitent key.
    case pin

    /// The first byte of tag 82.
    fileprivate var type: UInt8 {
        switch self {
        case .directory: 0x38
        case .elementary: 0x01
        case .key, .pin: 0x10
        }
    }

    /// The data objects of a new file's template.
    fileprivate var tags: [UInt8] {
        switch self {
        case .directory: [0x80, 0x82, 0x83, 0x86]
        case .elementary, .pin: [0x82, 0x80, 0x83, 0x85, 0x86]
        case .key: [0x80, 0x82, 0x83, 0x86, 0x85]
        }
    }
}

/// Where a file lies: identifiers from below the MF down.
package struct FilePath: Hashable, ExpressibleByArrayLiteral {
    package var identifiers: [UInt16]

    package init(_ identifiers: [UInt16]) { self.identifiers = identifiers }
    package init(arrayLiteral elements: UInt16...) { self.init(elements) }

    /// The path of a file in this directory.
    func file(_ identifier: UInt16) -> FilePath {
        var path = self
        path.identifiers.append(identifier)
        return path
    }

    var bytes: [UInt8] { identifiers.flatMap(\.bytes) }

    static let system: FilePath = [0x1000, 0x1000]
    static let label: FilePath = [0x1000, 0x1000, 0x1000]
    static let publicKeys: FilePath = [0x1000, 0x1000, 0x6001]
    static let privateKeys: FilePath = [0x1000, 0x1000, 0x6002]
    static let secretKeys: FilePath = [0x1000, 0x1000, 0x6003]
    static let localPINs: FilePath = [0x1000, 0x1000, 0x6005]
    static let objects: FilePath = [0x1000, 0x1001]
}

extension Token {
    /// Data of one READ BINARY or UPDATE BINARY: what fits a protected short APDU with room to spare, or without a channel
    /// all that a short APDU takes.
    private var readSize: Int { isPlain ? 256 : 224 }
    private var writeSize: Int { isPlain ? 255 : 224 }

    /// Selects a file by its path and returns its template. No path is the MF.
    @discardableResult
    func select(_ path: FilePath) throws(TokenError) -> FileTemplate {
        if path.identifiers.isEmpty {
            return try template(Command(0x00, 0xA4, 0x00, 0x04, bytes: [0x3F, 0x00], ne: 256))
        }
        return try template(Command(0x00, 0xA4, 0x08, 0x04, bytes: path.bytes, ne: 256))
    }

    /// The content of the file at `path`.
    func read(_ path: FilePath) throws(TokenError) -> [UInt8] {
        let size = try select(path).size
        return try readSelected(count: size)
    }

    /// The first `count` bytes of the selected file, fewer if it ends before.
    func readSelected(count: Int) throws(TokenError) -> [UInt8] {
        let content = try readSecret(count: count)
        return [UInt8](copying: content)
    }

    /// As ``readSelected(count:)``, for a file that holds a secret.
    func readSecret(count: Int) throws(TokenError) -> Secret {
        var content = Secret(count: 0)
        while content.count < count {
            let wanted = min(count - content.count, readSize)
            let response = try sendSecret(
                Command(0x00, 0xB0, Self.high(content.count), Self.low(content.count), ne: wanted))
            guard response.status == .success || response.status == .endOfFileReached else {
                if response.status == .securityStatusNotSatisfied { userLostRight() }
                throw TokenError(response.status)
            }
            content = content.appending(response.data.bytes)
            if response.data.isEmpty || response.status == .endOfFileReached { break }
        }
        return content
    }

    /// Writes to the selected file.
    func updateSelected(_ content: [UInt8], at offset: Int = 0) throws(TokenError) {
        guard !content.isEmpty else { return }
        try perform(updates(content, at: offset))
    }

    /// The commands that write to the selected file.
    func updates(_ content: [UInt8], at offset: Int = 0) -> [Step] {
        stride(from: 0, to: content.count, by: writeSize).map { written in
            let position = offset + written
            return Step(
                0x00, 0xD6, Self.high(position), Self.low(position),
                bytes: Array(content[written..<min(written + writeSize, content.count)]))
        }
    }

    /// The command that selects a file whose template is of no interest. Outside a channel it asks for it all the same,
    /// since cards that speak T=0 take no other.
    func selection(_ path: FilePath) -> Step { .select(path, ne: hasBatches ? nil : 256) }

    /// Creates a file in the current directory; an EF becomes the current file.
    ///
    /// - Parameters:
    ///   - properties: Tag 85: six bytes, for PIN and key files.
    ///   - access: The first eight of the fifteen bytes of tag 86.
    func create(
        _ identifier: UInt16, _ kind: FileKind, size: Int, properties: [UInt8] = [0x00, 0x00], access: [UInt8]
    ) throws(TokenError) {
        try perform([creation(identifier, kind, size: size, properties: properties, access: access)])
    }

    /// The command of ``create(_:_:size:properties:access:)``.
    func creation(
        _ identifier: UInt16, _ kind: FileKind, size: Int, properties: [UInt8] = [0x00, 0x00], access: [UInt8]
    ) -> Step {
        let values: [UInt8: [UInt8]] = [
            0x80: [Self.high(size), Self.low(size)], 0x82: [kind.type, 0x00], 0x83: identifier.bytes, 0x85: properties,
            0x86: access + [UInt8](repeating: 0, count: max(0, 15 - access.count)),
        ]
        var body: [UInt8] = []
        for tag in kind.tags { body.appendObject(tag, values[tag] ?? []) }
        return Step(0x00, 0xE0, 0x00, 0x00, bytes: .object(0x62, body))
    }

    /// Deletes a file of `directory`. That it is gone already is no error.
    func delete(_ identifier: UInt16, in directory: FilePath) throws(TokenError) {
        _ = try optional { () throws(TokenError) in
            try perform([selection(directory), Step(0x00, 0xE4, 0x00, 0x00, bytes: identifier.bytes)])
        }
    }

    private func template(_ command: consuming Command) throws(TokenError) -> FileTemplate {
        let answer = try perform(command)
        do { return try FileTemplate(parsing: answer) } catch { throw .malformedAnswer }
    }

    private static func high(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> 8) }
    private static func low(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: value) }
}

extension UInt16 {
    /// The number's two bytes, big-endian, as file identifiers are sent.
    fileprivate var bytes: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)] }
}
