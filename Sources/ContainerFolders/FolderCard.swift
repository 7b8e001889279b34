// SPDX-License-Identifier: Apache-2.0
import APDU
import Containers
import Secrets
import Storage

/// A folder with a container, as a card in the same process: it has the container's files where a token has them, and
/// takes the commands that select and read.
///
/// Each selection reads the file anew, and what was read is overwritten at the end of the transaction.
final class FolderCard: CardLink {
    private let folder: String
    private let refused: @Sendable (StorageError) -> Void
    private var directory: UInt16?
    private var file: Secret?

    /// - Parameter refused: Is told why a file is not read.
    init(_ folder: String, refused: @escaping @Sendable (StorageError) -> Void) {
        (self.folder, self.refused) = (folder, refused)
    }

    /// The directory of all containers, and the one of the container.
    private static let (all, own) = (UInt16(0x1003), UInt16(0x0A00))

    let atr = ReaderState.folder
    /// Nothing else can answer over this connection.
    var insertions: Int? { 0 }

    func beginTransaction() -> Bool { false }

    func endTransaction() {
        directory = nil
        file = nil
    }

    func disconnect() { endTransaction() }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        let response = try transmitSecret(command)
        return Response(response.status, data: [UInt8](copying: response.data))
    }

    func transmitSecret(_ command: borrowing Command) throws(LinkError) -> SecretResponse {
        switch (command.cla, command.ins) {
        case (0x00, 0xA4): select(command)
        case (0x00, 0xB0): read(at: Int(command.p1) << 8 | Int(command.p2), count: command.ne ?? 0)
        default: SecretResponse(.instructionNotSupported, data: Secret(count: 0))
        }
    }

    /// SELECT by a path, or of the first or the next file in the current directory.
    private func select(_ command: borrowing Command) -> SecretResponse {
        let current = directory
        endTransaction()
        let path = identifiers(in: command.data)
        switch (command.p1, path) {
        case (0x08, [0x1000, Self.all]): return select(directory: Self.all)
        case (0x08, [0x1000, Self.all, Self.own]): return select(directory: Self.own)
        case (0x08, [0x1000, Self.all, Self.own, path.last ?? 0]): return select(file: path.last ?? 0)
        case (0x00, []) where current == Self.all: return select(directory: Self.own)
        default: return SecretResponse(.fileNotFound, data: Secret(count: 0))
        }
    }

    private func identifiers(in data: borrowing Secret) -> [UInt16] {
        let bytes = data.bytes
        return stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }

    private func select(directory identifier: UInt16) -> SecretResponse {
        directory = identifier
        return template(of: identifier, size: 0)
    }

    private func select(file identifier: UInt16) -> SecretResponse {
        guard identifier & 0xFF00 == Self.own, let kind = ContainerFile(rawValue: UInt8(identifier & 0xFF)) else {
            return SecretResponse(.fileNotFound, data: Secret(count: 0))
        }
        do throws(StorageError) {
            let content = try Directory(reading: folder)
                .readSecret(kind.fileName, limit: ContainerFile.largestSize)
            guard let content else { throw .notFound }
            let size = content.count
            file = consume content
            return template(of: identifier, size: size)
        } catch {
            guard error != .notFound else { return SecretResponse(.fileNotFound, data: Secret(count: 0)) }
            refused(error)
            return SecretResponse(.conditionsNotSatisfied, data: Secret(count: 0))
        }
    }

    /// Success, with identifier and size of a file. No container's file is as long as a size can say.
    private func template(of identifier: UInt16, size: Int) -> SecretResponse {
        var body: [UInt8] = []
        for (tag, value) in [(0x80, UInt16(clamping: size)), (0x83, identifier)] as [(UInt8, UInt16)] {
            body.appendObject(tag, [UInt8(value >> 8), UInt8(value & 0xFF)])
        }
        var template: [UInt8] = []
        template.appendObject(0x62, body)
        return SecretResponse(.success, data: Secret(copying: template))
    }

    /// READ BINARY of the selected file.
    private func read(at offset: Int, count: Int) -> SecretResponse {
        switch file {
        case .some(let content):
            guard offset <= content.count else { return SecretResponse(.wrongOffset, data: Secret(count: 0)) }
            let end = min(offset + count, content.count)
            return SecretResponse(
                end == offset + count ? .success : .endOfFileReached, data: content.extracting(offset..<end))
        case .none: return SecretResponse(.conditionsNotSatisfied, data: Secret(count: 0))
        }
    }
}
