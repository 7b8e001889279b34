import Foundation

/// A table in Markdown: what is measured, then the speed of Kanal and of each library, then their ratio.
struct Table {
    private static let libraries = ["gost-engine", "libgcrypt", "nettle"]
    private let head: [String]
    private var rows: [[String]] = []

    init(columns: [String]) {
        head = columns + ["Kanal"] + Self.libraries + ["ratio"]
    }

    mutating func add(_ labels: [String], _ speeds: some Sequence<(String, Double)>) {
        let speeds = Dictionary(uniqueKeysWithValues: Array(speeds))
        let cells = (["Kanal"] + Self.libraries).map { speeds[$0].map(Self.number) ?? "–" }
        let ratio = Self.libraries.compactMap { speeds[$0] }.max().flatMap { fastest in
            speeds["Kanal"].map { String(format: "%.2f", $0 / fastest) }
        }
        rows.append(labels + cells + [ratio ?? "–"])
    }

    func print() {
        let rules = head.enumerated().map { $0.offset == 0 ? "---" : "---:" }
        for row in [head, rules] + rows { Swift.print("| \(row.joined(separator: " | ")) |") }
    }

    private static func number(_ speed: Double) -> String {
        String(format: speed < 100 ? "%.1f" : "%.0f", speed)
    }
}
