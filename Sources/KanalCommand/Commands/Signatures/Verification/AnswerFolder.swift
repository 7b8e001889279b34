// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Storage
import Terminal

/// Answers of authorities in the user's folder for caches, each in a file of its own until it must not be used any more.
///
/// The folder belongs to the user, and others cannot reach it; otherwise it is not used. A file has the last second of its
/// use before its name, and is written whole or not at all.
struct AnswerFolder: AnswerCache {
    private let path: String

    /// The number of files and their bytes in all.
    private static let (countLimit, sizeLimit) = (256, 128 << 20)
    /// The longest time for which an answer is used, in seconds, with an hour for a clock that was set.
    private static let lifetime: Int64 = 7 * 86_400 + 3600

    private struct Entry {
        let file: String
        let until: Int64
        let name: Substring

        init?(_ file: String) {
            let parts = file.split(separator: "-", maxSplits: 1)
            guard parts.count == 2, let until = Int64(parts[0]) else { return nil }
            (self.file, self.until, name) = (file, until, parts[1])
        }
    }

    /// - Returns: nil for a user without a folder for caches.
    init?() {
        for (variable, rest) in [("XDG_CACHE_HOME", ""), ("HOME", "/.cache")] {
            guard let path = ProgramContext.current.variable(variable), path.hasPrefix("/") else { continue }
            self.path = path + rest + "/kanal/authorities"
            return
        }
        return nil
    }

    func answer(to request: AuthorityRequest) -> [UInt8]? {
        guard let directory = try? Directory(path: path, create: false) else { return nil }
        let now = ProgramContext.current.now()
        for entry in Self.entries(of: directory) where entry.name == request.name {
            guard now < entry.until, entry.until < now + Self.lifetime else { continue }
            if let answer = try? directory.read(entry.file, limit: request.kind.sizeLimit) { return answer }
        }
        return nil
    }

    func keep(_ answer: [UInt8], to request: AuthorityRequest, until: Int64) {
        let now = ProgramContext.current.now()
        guard now < until, let directory = try? Directory(path: path, create: true) else { return }
        var kept = Self.entries(of: directory).sorted { $0.until < $1.until }
        for entry in kept where entry.until <= now || entry.name == request.name { try? directory.remove(entry.file) }
        kept.removeAll { $0.until <= now || $0.name == request.name }
        var size = kept.reduce(answer.count) { $0 + ((try? directory.size(of: $1.file)) ?? nil ?? 0) }
        // Those that end first make room.
        while let first = kept.first, kept.count >= Self.countLimit || size > Self.sizeLimit {
            size -= ((try? directory.size(of: first.file)) ?? nil) ?? 0
            try? directory.remove(first.file)
            kept.removeFirst()
        }
        try? directory.write("\(until)-\(request.name)", answer.span)
    }

    private static func entries(of directory: Directory) -> [Entry] {
        ((try? directory.names(limit: 4096)) ?? []).compactMap(Entry.init)
    }
}
