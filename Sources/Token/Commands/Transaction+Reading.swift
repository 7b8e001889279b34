// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel

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
            var reading = BatchedReading(starts, extent, maxReply: channel?.capabilities.maxReply ?? 0)
            try read(&reading, and: further, answers: &answers)
            for (index, content) in zip(missing, reading.contents) {
                know(paths[index], content)
                contents[index] = content
            }
        } else {
            for index in missing { contents[index] = try readFile(paths[index], extent) }
        }
        return contents
    }

    /// Reads a file: a template that tells its size and who may read it, and as many blocks as are wanted.
    private func readFile(_ path: FilePath, _ extent: Extent) throws(TokenError) -> KnownFiles.Content {
        do throws(TokenError) {
            let template = try select(path)
            if login == nil, template.isUsers {
                know(path, .closed)
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
                know(path, .start(content), isOpen: login == nil || template.isOpen)
                return .start(content)
            }
            know(path, .whole(content), isOpen: login == nil || template.isOpen)
            return .whole(content)
        } catch {
            let content = try absence(error)
            know(path, content)
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
