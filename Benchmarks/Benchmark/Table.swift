import Foundation
import GOST

/// A table in Markdown: what is measured, then Kanal's speed, with its ratio to the fastest library, then the libraries'.
struct Table {
    /// The sets of instructions with which Kanal is measured.
    static let paths = Instructions.allCases.filter(\.areAvailable)

    private static let libraries = ["gost-engine", "libgcrypt", "nettle"]
    private let kanal: [String]
    private let head: [String]
    private var rows: [[String]] = []

    init(columns: [String], kanal: [String]) {
        self.kanal = kanal
        head = columns + kanal + Self.libraries
    }

    mutating func add(_ labels: [String], _ speeds: some Sequence<(String, Double)>) {
        let speeds = Dictionary(uniqueKeysWithValues: Array(speeds))
        let fastest = Self.libraries.compactMap { speeds[$0] }.max()
        let ours = kanal.map { name in
            let ratio = fastest.map { String(format: " (%.2f)", (speeds[name] ?? 0) / $0) } ?? ""
            return Self.number(speeds[name]) + ratio
        }
        rows.append(labels + ours + Self.libraries.map { Self.number(speeds[$0]) })
    }

    func print() {
        let rules = head.enumerated().map { $0.offset == 0 ? "---" : "---:" }
        for row in [head, rules] + rows { Swift.print("| \(row.joined(separator: " | ")) |") }
    }

    private static func number(_ speed: Double?) -> String {
        speed.map { String(format: $0 < 100 ? "%.1f" : "%.0f", $0) } ?? "–"
    }
}
