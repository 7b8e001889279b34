// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import Translation

/// The identifiers of messages, and the page that lists them.
@Suite struct MessageIDTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/Messages.md")

    @Test("docs/Messages.md lists each identifier once, in the order of the sources, with meaning, finding and remedy")
    func page() throws {
        let lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| `") }.map { $0.split(separator: " | ") }
        #expect(rows.map { $0[0].dropFirst(3).dropLast() } == MessageID.allCases.map { $0.rawValue[...] })
        #expect(rows.allSatisfy { $0.count == 4 && $0[2].hasPrefix("`log.") })
    }

    @Test("the page calls an attack what the sources call one")
    func attacks() throws {
        let lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
        for id in MessageID.allCases {
            let row = try #require(lines.first { $0.hasPrefix("| `\(id.rawValue)` |") })
            #expect(row.contains("`log.attack`") == id.isAttack)
        }
    }
}
