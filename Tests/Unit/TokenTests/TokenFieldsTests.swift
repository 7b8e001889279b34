// SPDX-License-Identifier: Apache-2.0
import Testing
import Token

@Suite("Texts in fields of fixed size")
struct TokenFieldsTests {
    @Test(
        "A text that is too long ends with a whole character",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "abc"), ("жж", 3, "ж"), ("жж", 4, "жж"), ("a\u{1F600}", 4, "a"),
            ("€€", 5, "€"),
        ])
    func whole(_ text: String, _ size: Int, _ expected: String) {
        #expect(Array(text.utf8).wholeCharacters(fitting: size) == Array(expected.utf8))
    }

    @Test("A character that a program has cut at the end of a text goes, and bytes of other encodings stay")
    func cut() {
        let label = Array("1жж".utf8)
        #expect(label.withoutCutCharacter == label)
        #expect(Array(label.dropLast()).withoutCutCharacter == Array("1ж".utf8))
        #expect(Array("a\u{1F600}".utf8.dropLast()).withoutCutCharacter == Array("a".utf8))
        #expect(([UInt8]()).withoutCutCharacter.isEmpty)
        let other: [UInt8] = [0xCA, 0xE2, 0xE0, 0xE4]
        #expect(other.withoutCutCharacter == other)
    }
}
