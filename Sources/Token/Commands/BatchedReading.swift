// SPDX-License-Identifier: Apache-2.0
import APDU

/// Files that are read in batches (GSC/1, 13.4), for which the token reserves as much room as the commands announce.
/// Predicts each file's length from the last but one: public and private key files alternate.
struct BatchedReading {
    private struct File {
        let path: FilePath
        var content: [UInt8]
        /// The result once the file is done.
        var result: KnownFiles.Content?
        /// The bytes that a search needs of the file, if known; 0 if it is closed.
        var needed: Int?
        /// The blocks that the next round trip reads.
        var blocks = 1
    }

    private var files: [File]
    /// The files that are not done, in the order in which they are read.
    private var queue: [Int]
    private let extent: Transaction.Extent
    private let maxReply: Int

    /// The overhead of each command in a batch's reply, at most.
    private static let overhead = 5
    /// The bytes of a SELECT in the reply.
    private static let selection = 4
    private static let commandLimit = 16
    /// The bytes of each item behind the value of a certificate.
    private static let tail = 29

    init(_ starts: [(FilePath, [UInt8])], _ extent: Transaction.Extent, maxReply: Int) {
        files = starts.map { File(path: $0.0, content: $0.1, needed: Self.expected($0.1)) }
        queue = Array(files.indices)
        self.extent = extent
        self.maxReply = maxReply
    }

    var isAtEnd: Bool { queue.isEmpty }
    /// The contents that were read, in the order of the files.
    var contents: [KnownFiles.Content] { files.map { $0.result ?? .absent } }

    /// The files of the next commands, and the number of bytes that each reads at once.
    private var next: [(file: Int, blocks: [Int])] {
        var next: [(Int, [Int])] = []
        var count = 0
        for index in queue {
            let blocks = blocks(of: index).prefix(max(1, Self.commandLimit - count - 1))
            count += 1 + blocks.count
            guard count <= Self.commandLimit else { break }
            next.append((index, Array(blocks)))
        }
        return next
    }

    /// Whether the next commands are for all files that are left.
    var isLast: Bool { next.count == queue.count }

    /// The commands for the next round trip, which may have no room for all of them.
    var commands: [CardCommand] {
        next.flatMap { index, blocks in
            var commands = [CardCommand.select(files[index].path)]
            var offset = files[index].content.count
            for block in blocks {
                commands.append(.read(at: offset, count: block))
                offset += block
            }
            return commands
        }
    }

    /// As many bytes as one READ BINARY can bring in a reply of its own with SELECT.
    private var largest: Int { max(1, min(maxReply - Self.selection - Self.overhead, 240)) }
    /// The bytes to ask for first of an unknown file: where replies are short, two files fill one.
    private var first: Int {
        maxReply >= 1024 ? Transaction.firstBlock : max(1, maxReply / 2 - Self.selection - Self.overhead)
    }

    private func blocks(of index: Int) -> [Int] {
        let file = files[index]
        let expected = file.needed ?? guess(index)
        guard let expected, expected > file.content.count else {
            guard file.content.isEmpty else {
                return Array(repeating: min(largest, Transaction.firstBlock), count: file.blocks)
            }
            // A closed file returns nothing; a file that is open after all is read in the next round trip.
            return [expected == nil ? first : min(first, 32)]
        }
        // Asking for one byte more shows the end.
        var rest = expected - file.content.count + (extent == .whole || file.needed == nil ? 1 : 0)
        var blocks: [Int] = []
        while rest > 0 {
            blocks.append(min(rest, largest))
            rest -= min(rest, largest)
        }
        return blocks
    }

    /// The probable length of a file.
    private func guess(_ index: Int) -> Int? {
        var index = index - 2
        while index >= 0 {
            if let needed = files[index].needed { return needed }
            index -= 2
        }
        return nil
    }

    /// Processes the answers to the first of the ``commands``, to two at least.
    ///
    /// - Returns: Whether the login may not read one of the files.
    mutating func take(_ responses: ArraySlice<Response>) throws(TokenError) -> Bool {
        guard responses.count >= 2 else { throw .malformedAnswer }
        var rest = responses
        var unfinished: [Int] = []
        var count = 0
        var isRefused = false
        for (index, blocks) in next {
            guard rest.count >= 2, let selected = rest.popFirst() else { break }
            let answers = rest.prefix(blocks.count)
            rest = rest.dropFirst(answers.count)
            count += 1
            if try !take(selected, zip(blocks, answers).map { ($0, $1) }, of: index) { unfinished.append(index) }
            if files[index].result == .closed { isRefused = true }
        }
        queue = unfinished + queue.dropFirst(count)
        return isRefused
    }

    /// - Returns: Whether the file is done.
    private mutating func take(
        _ selected: Response, _ answers: [(asked: Int, response: Response)], of index: Int
    ) throws(TokenError) -> Bool {
        for response in [selected] + answers.map(\.response) {
            switch response.status {
            case .fileNotFound: return finish(index, .absent)
            case .securityStatusNotSatisfied: return finish(index, .closed)
            case .success, .endOfFileReached, .wrongOffset: continue
            default: throw TokenError(response.status)
            }
        }
        for (asked, response) in answers {
            if response.status != .wrongOffset { files[index].content += response.data }
            let count = files[index].content.count
            guard response.status == .success, response.data.count == asked, count < Transaction.maximumFileSize else {
                return finish(index, .whole(files[index].content))
            }
        }
        let content = files[index].content
        if extent == .index, ObjectIndex.isComplete(content) { return finish(index, .whole(content)) }
        if extent == .description, let needed = ObjectRecord.description(in: content, size: nil) {
            files[index].needed = needed
            files[index].result = .start(content)
            return true
        }
        files[index].needed = files[index].needed ?? Self.expected(content)
        if maxReply >= 1024 { files[index].blocks = min(2 * files[index].blocks, 8) }
        return false
    }

    private mutating func finish(_ index: Int, _ content: KnownFiles.Content) -> Bool {
        files[index].result = content
        files[index].needed = content.whole?.count ?? 0
        return true
    }

    /// The length of a record that begins so, if its value shows it.
    private static func expected(_ content: [UInt8]) -> Int? {
        guard let value = ObjectRecord(content)?.unreadValue else { return nil }
        return value.upperBound + tail
    }
}
