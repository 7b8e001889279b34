// SPDX-License-Identifier: Apache-2.0
import Testing
import Token

@Suite("Patterns of reader names")
struct WildcardPatternTests {
    @Test(
        "A star stands for any characters, a question mark for one, case for nothing",
        arguments: [
            ("Virtual PCD 00 00", "virtual pcd*", true), ("Virtual PCD 00 00", "*", true),
            ("Virtual PCD 00 00", "*PCD*0?", true), ("Virtual PCD 00 00", "Virtual PCD", false),
            ("Virtual PCD 00 00", "*01", false), ("aab", "a*ab", true), ("abcabd", "*abd", true), ("", "*", true),
            ("", "?", false), ("a", "", false), ("", "", true), ("ab", "a?b", false), ("a.b", "a.b", true),
            ("axb", "a.b", false), ("a", "a**", true), ("mississippi", "m*iss*ip*i", true),
        ])
    func matches(_ reader: String, _ pattern: String, _ isMatch: Bool) {
        #expect(WildcardPattern(pattern).matches(reader) == isMatch)
    }

    @Test("Many stars take no long time")
    func stars() {
        let pattern = WildcardPattern(String(repeating: "a*", count: 100) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 2000)))
    }
}
