import Foundation
import GOST

/// A table in Markdown: what is measured, then Kanal's speed, with its ratio to the fastest library, then the libraries'.
/// Each row is printed when it is known.
struct Table {
    /// The sets of instructions with which Kanal is measured.
    static let paths = Instructions.allCases.filter(\.areAvailable)

    private static let libraries = ["gost-engine", "libgcrypt", "nettle"]
    private let kanal: [String]

    init(columns: [String], kanal: [String]) {
        self.kanal = kanal
        let head = columns + kanal + Self.libraries
        Self.print(head)
        Self.print(head.indices.map { $0 == 0 ? "---" : "---:" })
    }

    func add(_ labels: [String], _ speeds: some Sequence<(String, Double)>) {
        let speeds = Dictionary(uniqueKeysWithValues: Array(speeds))
        let fastest = Self.libraries.compactMap { speeds[$0] }.max()
        let ours = kanal.map { name in
            let ratio = fastest.map { String(format: " (%.2f)", (speeds[name] ?? 0) / $0) } ?? ""
            return Self.number(speeds[name]) + ratio
        }
        Self.print(labels + ours + Self.libraries.map { Self.number(speeds[$0]) })
    }

    private static func print(_ row: [String]) {
        Swift.print("| \(row.joined(separator: " | ")) |")
        fflush(nil)
    }

    private static func number(_ speed: Double?) -> String {
        speed.map { String(format: $0 < 100 ? "%.1f" : "%.0f", $0) } ?? "–"
    }
}
