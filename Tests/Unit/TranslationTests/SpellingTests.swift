// SPDX-License-Identifier: Apache-2.0
import Testing
import Translation

@Suite("Words that are spelled wrong")
struct SpellingTests {
    private static let words = ["sign", "share", "pairings", "pair", "pin", "cert"]

    @Test(
        "The nearest word has few differences: a letter more, less, another, or two in each other's place",
        arguments: [
            ("sgin", "sign"), ("singn", "sign"), ("Cret", "cert"), ("parings", "pairings"), ("pni", "pin"),
        ])
    func nearest(_ typed: String, _ meant: String) {
        #expect(Spelling.nearest(to: typed, among: Self.words) == meant)
    }

    @Test(
        "A letter of any alphabet is one difference", arguments: [("ИН", "ИНН"), ("снизс", "СНИЛС"), ("ОГНР", "ОГРН")])
    func letters(_ typed: String, _ meant: String) {
        #expect(Spelling.nearest(to: typed, among: ["ИНН", "СНИЛС", "ОГРН"]) == meant)
    }

    @Test("A word that is like none has no nearest, however long", arguments: ["", "x", "colour", "certificates"])
    func none(_ typed: String) {
        #expect(Spelling.nearest(to: typed, among: Self.words) == nil)
        #expect(Spelling.nearest(to: String(repeating: "sign", count: 100_000), among: Self.words) == nil)
    }
}
