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

    /// A message that occurs, or several with the same meaning, and where.
    private struct Occurrence {
        let id: MessageID
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
            let place = known[text] ?? place(of: String(decoding: text, as: UTF8.self), at: index + 1, in: &found)
            known[text] = .some(place)
            guard let place else { continue }
            found[place].last = index + 1
            found[place].count += 1
        }
        return found.map(finding)
    }

    /// Where a text's meaning is in the list, at whose end a new one comes. Each refusal without a meaning of its own is
    /// told, up to ``most`` of them.
    private func place(of text: String, at line: Int, in found: inout [Occurrence]) -> Int? {
        guard let end = text.firstIndex(of: "]"), let id = MessageID(rawValue: String(text[..<end].dropFirst())) else {
            return nil
        }
        let meaning = LogMeaning(id, for: person)
        let same = found.firstIndex { other in
            other.meaning.words == meaning.words && (id != .callRefused || other.text == text)
        }
        if let same { return same }
        guard id != .callRefused || found.count(where: { $0.id == id }) < Self.most else { return nil }
        found.append(Occurrence(id: id, meaning: meaning, text: text, first: line, last: line, count: 0))
        return found.count - 1
    }

    private func finding(_ occurrence: Occurrence) -> Finding {
        let more: Phrase =
            occurrence.count > 1 ? ", \(occurrence.count) times until line \(occurrence.last)" : ""
        let meaning = occurrence.meaning
        return Finding(
            check: "log.\(meaning.name)", severity: meaning.severity,
            problem: "line \(occurrence.first)\(more): \(meaning.words) (\"\(occurrence.text)\")",
            remedy: meaning.remedy, message: occurrence.id)
    }

    /// The message of a line, from its identifier on, without time, process and level; nil for a line of another program,
    /// and for a message without an identifier.
    private static func message(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let first = line.first, (0x30...0x39).contains(first),
            let bracket = line.firstIndex(of: UInt8(ascii: "]"))
        else { return nil }
        let rest = line[bracket...].dropFirst(2)
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), levels.contains(where: rest[..<colon].elementsEqual)
        else { return nil }
        let message = rest[colon...].dropFirst(2)
        return message.first == UInt8(ascii: "[") ? message : nil
    }

    private static let levels = ["error", "warning", "notice", "debug"].map { Array($0.utf8) }
}
