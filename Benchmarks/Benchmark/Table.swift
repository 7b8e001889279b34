// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST

/// A table in Markdown: the measured operation, then Kanal's speed, with its ratio to the fastest library, then the
/// libraries'. Each row is printed when it is known.
///
/// An optional bound comes last: something that Kanal's work contains, with the ratio of Kanal to it.
struct Table {
    /// The sets of instructions with which Kanal is measured.
    static let paths = Instructions.allCases.filter(\.areAvailable)

    private static let libraries = ["gost-engine", "libgcrypt", "nettle"]
    private let kanal, bounds: [String]

    init(columns: [String], kanal: [String], bound: String? = nil) {
        self.kanal = kanal
        bounds = bound.map { [$0] } ?? []
        let head = columns + kanal + Self.libraries + bounds
        Self.print(head)
        Self.print(head.indices.map { $0 == 0 ? "---" : "---:" })
    }

    func add(_ labels: [String], _ speeds: some Sequence<(String, Double)>) {
        let speeds = Dictionary(uniqueKeysWithValues: Array(speeds))
        let fastest = Self.libraries.compactMap { speeds[$0] }.max()
        let ours = kanal.map { Self.number(speeds[$0]) + Self.ratio(speeds[$0], fastest) }
        let theirs = Self.libraries.map { Self.number(speeds[$0]) }
        let best = kanal.compactMap { speeds[$0] }.max()
        Self.print(labels + ours + theirs + bounds.map { Self.number(speeds[$0]) + Self.ratio(best, speeds[$0]) })
    }

    private static func ratio(_ ours: Double?, _ theirs: Double?) -> String {
        guard let ours, let theirs else { return "" }
        return String(format: " (%.2f)", ours / theirs)
    }

    private static func print(_ row: [String]) {
        Swift.print("| \(row.joined(separator: " | ")) |")
        fflush(nil)
    }

    private static func number(_ speed: Double?) -> String {
        speed.map { String(format: $0 < 100 ? "%.1f" : "%.0f", $0) } ?? "–"
    }
}
