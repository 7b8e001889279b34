// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// One file at a time.
extension Transaction {
    /// Data of one READ BINARY or UPDATE BINARY: the room in a protected short APDU, with some to spare, or without a
    /// channel all of a short APDU.
    private var readSize: Int { isPlain ? 256 : 224 }
    private var writeSize: Int { isPlain ? 255 : 224 }

    /// The bytes of a file that READ BINARY can reach.
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
            try requireRead(response.status)
            content = content.appending(response.data.bytes)
            if response.data.isEmpty || response.status == .endOfFileReached { break }
        }
        return content
    }

    /// A block of the selected file.
    func readBlock(at offset: Int, atMost count: Int) throws(TokenError) -> Response {
        let response = try send(CardCommand.read(at: offset, count: min(count, readSize)))
        try requireRead(response.status)
        return response
    }

    private func requireRead(_ status: StatusWord) throws(TokenError) {
        guard status != .success, status != .endOfFileReached else { return }
        if status == .securityStatusNotSatisfied { userLostRight() }
        throw TokenError(status)
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

    /// The command that selects a file whose template is not needed. Outside a channel it requests the template all the
    /// same, since T=0 cards accept nothing else.
    func selection(_ path: FilePath) -> CardCommand { .select(path, ne: hasBatches ? nil : 256) }

    /// Deletes a file of `directory`. Succeeds if already deleted.
    func delete(_ identifier: UInt16, in directory: FilePath) throws(TokenError) {
        forget(directory.file(identifier))
        _ = try optional { () throws(TokenError) in
            try perform([selection(directory), .delete(identifier)])
        }
    }
}
