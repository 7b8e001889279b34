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
    var type: UInt8 {
        switch self {
        case .directory: 0x38
        case .elementary: 0x01
        case .key, .pin: 0x10
        }
    }

    /// The data objects of a new file's template.
    var tags: [UInt8] {
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

extension Transaction {
    /// Data of one READ BINARY or UPDATE BINARY: what fits a protected short APDU with room to spare, or without a channel
    /// all that a short APDU takes.
    private var readSize: Int { isPlain ? 256 : 224 }
    private var writeSize: Int { isPlain ? 255 : 224 }

    /// As many bytes of a file as READ BINARY can reach.
    static let maximumFileSize = 0x8000

    /// Selects a file by its path and returns its template. No path is the MF.
    @discardableResult
    func select(_ path: FilePath) throws(TokenError) -> FileTemplate {
        let answer = try perform(.select(path, ne: 256))
        do { return try FileTemplate(parsing: answer) } catch { throw .malformedAnswer }
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
        let count = min(count, Self.maximumFileSize)
        while content.count < count {
            let wanted = min(count - content.count, readSize)
            let response = try sendSecret(CardCommand.read(at: content.count, count: wanted).apdu)
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
    func updates(_ content: [UInt8], at offset: Int = 0) -> [CardCommand] {
        stride(from: 0, to: content.count, by: writeSize).map { written in
            .update(at: offset + written, Array(content[written..<min(written + writeSize, content.count)]))
        }
    }

    /// The command that selects a file whose template is of no interest. Outside a channel it asks for it all the same,
    /// since cards that speak T=0 take no other.
    func selection(_ path: FilePath) -> CardCommand { .select(path, ne: hasBatches ? nil : 256) }

    /// Deletes a file of `directory`. That it is gone already is no error.
    func delete(_ identifier: UInt16, in directory: FilePath) throws(TokenError) {
        _ = try optional { () throws(TokenError) in
            try perform([selection(directory), .delete(identifier)])
        }
    }
}

extension UInt16 {
    /// The number's two bytes, big-endian, as file identifiers are sent.
    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)] }
}
