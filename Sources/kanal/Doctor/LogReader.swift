// SPDX-License-Identifier: Apache-2.0
import Translation

/// Reads what a program's `KANAL_LOG` has, and says in words what it means.
struct LogReader {
    let path: String
    let person: Person

    /// What is read of a longer file: the end.
    private static let limit = 16 << 20
    /// How many refusals are told that nothing more is known about.
    private static let most = 10

    /// A meaning that occurs, and where.
    private struct Occurrence {
        let meaning: LogMeaning
        let text: String
        let first: Int
        var last: Int
        var count: Int
    }

    /// - Returns: nil if the file cannot be read.
    func findings() -> [Finding]? {
        guard let octets = Files.octets(path, limit: Self.limit) else { return nil }
        var found: [Occurrence] = []
        // Programs repeat themselves: the place in "found" of each text that was met, nil for one that means nothing.
        var known: [ArraySlice<UInt8>: Int?] = [:]
        for (index, line) in octets.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard let text = Self.message(line) else { continue }
            let place = known[text] ?? Self.place(of: String(decoding: text, as: UTF8.self), at: index + 1, in: &found)
            known[text] = .some(place)
            guard let place else { continue }
            found[place].last = index + 1
            found[place].count += 1
        }
        return found.map { finding($0) }
    }

    /// Where a text's meaning is in the list, at whose end a new one comes.
    private static func place(of text: String, at line: Int, in found: inout [Occurrence]) -> Int? {
        guard let meaning = LogMeaning.all.first(where: { $0.isMeant(by: text) }) ?? LogMeaning(refusal: text) else {
            return nil
        }
        let isSame = { (other: Occurrence) in other.meaning.name == meaning.name && other.meaning.words == meaning.words
        }
        if let place = found.firstIndex(where: isSame) { return place }
        let refusals = found.count { $0.meaning.name == LogMeaning.refusal }
        guard meaning.name != LogMeaning.refusal || refusals < most else { return nil }
        found.append(Occurrence(meaning: meaning, text: text, first: line, last: line, count: 0))
        return found.count - 1
    }

    private func finding(_ occurrence: Occurrence) -> Finding {
        let more: Phrase =
            occurrence.count > 1 ? ", \(occurrence.count) times until line \(occurrence.last)" : ""
        let meaning = occurrence.meaning
        let cited = meaning.name == LogMeaning.refusal ? "" : " (\"\(occurrence.text)\")"
        return Finding(
            check: "log.\(meaning.name)", severity: meaning.severity,
            problem: "line \(occurrence.first)\(more): \(meaning.words)\(cited)", remedy: meaning.remedy(person))
    }

    /// The message of a line, without time, process and level; nil for a line of another program, a command to a card, and
    /// a call that was done.
    private static func message(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let first = line.first, (0x30...0x39).contains(first), !line.suffix(success.count).elementsEqual(success),
            let bracket = line.firstIndex(of: UInt8(ascii: "]"))
        else { return nil }
        let rest = line[bracket...].dropFirst(2)
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), levels.contains(where: rest[..<colon].elementsEqual)
        else { return nil }
        return rest[colon...].dropFirst(2)
    }

    private static let success = Array(" 0x00000000".utf8)
    private static let levels = ["error", "warning", "notice", "debug"].map { Array($0.utf8) }
}
