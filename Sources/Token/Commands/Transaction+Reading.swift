// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel

/// Reading several files, in as few round trips as the token allows.
extension Transaction {
    /// Bytes of a file that are read in the same round trip in which it is selected. Most records are shorter.
    static let firstBlock = 200

    /// Whether several commands cost one round trip.
    var hasBatches: Bool { channel?.capabilities.features.contains(.batch) == true }

    /// The contents of files; nil for one that is not there, or that this login may not read.
    func readFiles(_ paths: [FilePath]) throws(TokenError) -> [[UInt8]?] {
        var answers: [Response] = []
        return try readFiles(paths, and: [], answers: &answers)
    }

    /// The contents of files, and the answers to further commands in the same round trips, where there are batches.
    func readFiles(
        _ paths: [FilePath], and further: [CardCommand], answers: inout [Response]
    ) throws(TokenError) -> [[UInt8]?] {
        var contents: [[UInt8]?] = []
        try spend(files: paths.count + further.count)
        guard hasBatches else {
            for path in paths { contents.append(try readIfAllowed(path)) }
            return contents
        }
        let commands = paths.flatMap { [CardCommand.select($0), .read(at: 0, count: Self.firstBlock)] } + further
        guard !commands.isEmpty else { return [] }
        let responses = try send(commands, goesOn: true)
        guard responses.count == commands.count else { throw .malformedAnswer }
        answers = Array(responses.suffix(further.count))
        for index in paths.indices {
            contents.append(try content(Array(responses[2 * index...2 * index + 1])))
        }
        let isLong = contents.map { $0?.count == Self.firstBlock }
        try readOn(paths.indices.filter { isLong[$0] }.map { ($0, paths[$0]) }, into: &contents)
        return contents
    }

    /// Reads what follows the first block of files, all at once. Where replies are long, each time twice as much as before:
    /// how long the files are is not known.
    private func readOn(_ files: [(index: Int, path: FilePath)], into contents: inout [[UInt8]?]) throws(TokenError) {
        var files = files
        var blocks = 1
        while !files.isEmpty {
            let commands = files.flatMap { file in
                let start = contents[file.index]?.count ?? 0
                return [.select(file.path)]
                    + (0..<blocks).map { CardCommand.read(at: start + $0 * Self.firstBlock, count: Self.firstBlock) }
            }
            let responses = try send(commands, goesOn: true)
            guard responses.count == commands.count else { throw .malformedAnswer }
            var unfinished: [(index: Int, path: FilePath)] = []
            for (place, file) in files.enumerated() {
                let start = place * (blocks + 1)
                if try append(responses[(start + 1)..<(start + 1 + blocks)], to: &contents[file.index]) {
                    unfinished.append(file)
                }
            }
            files = unfinished
            if let channel, channel.capabilities.maxReply >= 1024 { blocks = min(2 * blocks, 8) }
        }
    }

    /// - Returns: Whether more may follow.
    private func append(_ blocks: ArraySlice<Response>, to content: inout [UInt8]?) throws(TokenError) -> Bool {
        for block in blocks {
            switch block.status {
            case .success, .endOfFileReached: content?.append(contentsOf: block.data)
            case .wrongOffset: return false
            default: throw TokenError(block.status)
            }
            guard block.data.count == Self.firstBlock, let count = content?.count, count < Self.maximumFileSize else {
                return false
            }
        }
        return true
    }

    /// The content of a file: a template that tells its size, and one READ BINARY if that is enough.
    func readIfAllowed(_ path: FilePath) throws(TokenError) -> [UInt8]? {
        do throws(TokenError) { return try read(path) } catch {
            switch error {
            case .notFound, .notLoggedIn: return nil
            default: throw error
            }
        }
    }

    /// What SELECT and READ BINARY brought; nil if there is no such file, or none that this login may read.
    func content(_ responses: [Response]) throws(TokenError) -> [UInt8]? {
        for response in responses {
            switch response.status {
            case .success, .endOfFileReached: continue
            case .fileNotFound: return nil
            case .securityStatusNotSatisfied:
                userLostRight()
                return nil
            default: throw TokenError(response.status)
            }
        }
        return responses.last?.data
    }
}
