// SPDX-License-Identifier: Apache-2.0
import Foundation
import Terminal
import Testing
import Translation

@Suite("Text on a terminal")
struct TextTests {
    @Test("Nothing that comes from outside moves the cursor, hides itself or turns the direction")
    func printable() {
        #expect("Токен 1 \"a\"".printable == "Токен 1 \"a\"")
        let control = "\u{1B}[31m\n\r\t\u{7F}\u{9B}"
        let direction = "\u{202E}\u{2066}\u{200B}\u{200F}\u{61C}\u{2028}\u{FEFF}\u{E000}\u{AD}"
        let text = ("A" + control + direction + "B").printable
        #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(text.hasPrefix("A\\u{1b}[31m\\u{a}\\u{d}\\u{9}"))
        #expect(text.hasSuffix("\\u{ad}B"))
    }

    @Test("JSON has escapes in the place of what a terminal obeys, and its texts stay what they are")
    func json() throws {
        let texts = ["Токен", "A\u{9B}31m\u{7F}\u{202E}\u{2066}\u{FEFF}\u{E000}\u{E0001}B", "\u{1B}\n\t"]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let plain = try encoder.encode(texts), escaped = plain.withoutTerminalCharacters
        #expect(try JSONDecoder().decode([String].self, from: Data(escaped)) == texts)
        let text = String(decoding: escaped, as: UTF8.self)
        #expect(text.split(separator: "\n").allSatisfy { $0 == $0.description.printable })
        #expect(text.contains("Токен") && text.contains("\\u009b31m\\u007f\\u202e\\u2066\\ufeff\\ue000\\udb40\\udc01B"))
        let harmless = try encoder.encode(["Токен", "a\"b"])
        #expect(harmless.withoutTerminalCharacters == Array(harmless))
    }

    @Test("Lines are broken between words, at the width, and words that are longer stay whole")
    func wrapped() {
        #expect("one two three".wrapped(to: 7) == "one two\nthree")
        #expect("one two three".wrapped(to: nil) == "one two three")
        #expect("  one two\nthree four".wrapped(to: 9, indent: "    ") == "  one two\nthree\n    four")
        #expect("one:   two\nlonger: three four".wrapped(to: 13) == "one:   two\nlonger: three\nfour")
        #expect("a longerthanten b".wrapped(to: 5) == "a\nlongerthanten\nb")
        let style = Style(width: 20, hasColor: true)
        #expect(style.text("green", .good).columns == 5)
        #expect(style.text("one two", .good).wrapped(to: 7).contains("\n") == false)
    }

    @Test("A table is aligned, breaks its last column, and becomes blocks where it does not fit")
    func table() {
        var table = Table(["name", "state"])
        table.add(["first", "present, wireless, channel active"])
        table.add(["", "x\ny"])
        #expect(
            table.text(Style(width: nil, hasColor: false))
                == "name   state\nfirst  present, wireless, channel active\n-      x\\u{a}y\n")
        #expect(
            table.text(Style(width: 30, hasColor: false))
                == "name   state\nfirst  present, wireless,\n       channel active\n-      x\\u{a}y\n")
        #expect(
            table.text(Style(width: 20, hasColor: false))
                == "name: first\nstate: present, wireless, channel active\n\nname: -\nstate: x\\u{a}y\n")
        #expect(Table(["name"]).text(Style(width: nil, hasColor: false)).isEmpty)
        #expect(table.text(Style(width: nil, hasColor: true)).hasPrefix("\u{1B}[1mname   state\u{1B}[0m\n"))
    }

    @Test("Facts are below each other, without those that are not known")
    func facts() {
        var facts = KeyValueList()
        facts.add("a", "1")
        facts.add("missing", nil)
        facts.add("long", "x\u{1B}")
        #expect(facts.text(Style(width: nil, hasColor: false)) == "a:    1\nlong: x\\u{1b}\n")
    }
}
