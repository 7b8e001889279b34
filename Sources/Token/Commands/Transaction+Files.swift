// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets
import SecureChannel

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

/// Reading several files, in as few round trips as the token allows.
extension Transaction {
    /// Bytes of a file that are read in the same round trip in which it is selected, where replies are long. Most records
    /// are shorter.
    static let firstBlock = 200

    /// Whether several commands cost one round trip.
    var hasBatches: Bool { channel?.capabilities.features.contains(.batch) == true }

    /// The contents of files, as far as they are wanted and not known.
    func readFiles(_ paths: [FilePath], _ extent: Extent = .whole) throws(TokenError) -> [KnownFiles.Content] {
        var answers: [Response] = []
        return try readFiles(paths, extent, and: [], answers: &answers)
    }

    /// The contents of files, and the answers to further commands as far as these cost no further round trip.
    func readFiles(
        _ paths: [FilePath], _ extent: Extent, and further: [CardCommand], answers: inout [Response]
    ) throws(TokenError) -> [KnownFiles.Content] {
        try spend(files: paths.count + further.count)
        var contents: [KnownFiles.Content] = []
        var missing: [Int] = []
        for (index, path) in paths.enumerated() {
            let content = known(path, extent)
            if content == nil { missing.append(index) }
            contents.append(content ?? .absent)
        }
        if hasBatches {
            let starts = missing.map { (paths[$0], knownStart(paths[$0])) }
            var reading = BatchedReading(starts, extent, maxReply: channel?.maxReply ?? 0)
            try read(&reading, and: further, answers: &answers)
            for (index, content) in zip(missing, reading.contents) {
                cache(paths[index], content)
                contents[index] = content
            }
        } else {
            for index in missing { contents[index] = try readFile(paths[index], extent) }
        }
        return contents
    }

    /// Reads a file: a template with its size and who may read it, and as many blocks as are wanted.
    private func readFile(_ path: FilePath, _ extent: Extent) throws(TokenError) -> KnownFiles.Content {
        do throws(TokenError) {
            let template = try select(path)
            if login == nil, template.isUsers {
                cache(path, .closed)
                return .closed
            }
            let size = min(template.size, Self.maximumFileSize)
            var content = knownStart(path)
            while content.count < size {
                let block = try readBlock(at: content.count, atMost: size - content.count)
                content += block.data
                if block.data.isEmpty || block.status == .endOfFileReached { break }
                guard extent == .description, content.count < size,
                    ObjectRecord.description(in: content, size: size) != nil
                else { continue }
                cache(path, .start(content), isOpen: login == nil || template.isOpen)
                return .start(content)
            }
            cache(path, .whole(content), isOpen: login == nil || template.isOpen)
            return .whole(content)
        } catch {
            let content = try absence(error)
            cache(path, content)
            return content
        }
    }

    /// The content that stands for a file that could not be read.
    private func absence(_ error: TokenError) throws(TokenError) -> KnownFiles.Content {
        switch error {
        case .notFound: return .absent
        case .notLoggedIn: return .closed
        default: throw error
        }
    }

    // MARK: Batches

    private func read(
        _ reading: inout BatchedReading, and further: [CardCommand], answers: inout [Response]
    ) throws(TokenError) {
        while !reading.isAtEnd {
            let commands = reading.commands
            let extra = reading.isLast ? Array(further[answers.count...]) : []
            var responses = try sendSome(of: (commands + extra)[...], goesOn: true)
            // No room for two commands: the selection persists.
            while responses.count < min(2, commands.count) {
                responses += try sendSome(of: commands[responses.count...], goesOn: true)
            }
            answers += responses.dropFirst(commands.count)
            if try reading.take(responses.prefix(commands.count)) { userLostRight() }
        }
    }
}

/// Commands whose data are longer than one APDU.
extension Transaction {
    /// Sends a command: the channel cuts its data itself, else they go in a chain of commands (ISO/IEC 7816-4, 5.3.3).
    func performLong(
        _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: borrowing Secret, ne: Int? = nil
    ) throws(TokenError) -> Secret {
        var start = 0
        while isPlain, data.count - start > 255 {
            try perform(Command(0x10, ins, p1, p2, data: data.extracting(start..<start + 255)))
            start += 255
        }
        // If only short APDUs are possible, more than 256 bytes are fetched with GET RESPONSE.
        return try performSecret(
            Command(0x00, ins, p1, p2, data: data.extracting(start..<data.count), ne: ne.map { min($0, 256) }))
    }

    /// CHANGE REFERENCE DATA of the selected key file. The value is cut into pieces with a header each, as long as the
    /// commands of a chain.
    func importSelected(_ value: borrowing Secret) throws(TokenError) {
        var total: [UInt8] = [0x80, 0x02]
        total.appendUInt16(value.count)
        var data = Secret(copying: total)
        var start = 0
        while start < value.count {
            let end = min(start + 255 - 2 - (start == 0 ? total.count : 0), value.count)
            data = data.appending([0xA5, UInt8(truncatingIfNeeded: end - start)].span)
            data = data.appending(value.bytes.extracting(start..<end))
            start = end
        }
        _ = try performLong(0x24, 0x01, 0x00, data)
    }
}
