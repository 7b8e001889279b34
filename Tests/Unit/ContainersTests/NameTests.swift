// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import TestSupport
import Testing

@Suite("The name of a container")
struct NameTests {
    private func name(_ bytes: [UInt8], more: [UInt8] = [], filling: [UInt8] = []) throws(ContainerError) -> String {
        let file = DERTag.sequence.element(DERTag.ia5String.element(bytes) + more) + filling
        return try ContainerName(file: file.span).text
    }

    @Test("Each byte is a character of the code page 1251, and 98 is none")
    func characters() throws {
        let all = try name([UInt8](0...0xFF))
        #expect(all.unicodeScalars.count == 256)
        #expect(all.unicodeScalars.filter { $0 == "\u{FFFD}" }.count == 1)
        #expect(all.hasPrefix("\0\u{1}"))
        #expect(all.hasSuffix("АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"))
        for character in "ЁёЄєЇїІіҐґЎў№«»—€™" { #expect(all.contains(character)) }
    }

    @Test("A name is text as it stands: control characters, slashes and dots are no path")
    func strange() throws {
        for text in ["", "..", "../../etc/passwd", "/", "a\u{1B}[2Jb", "a\0b", "line\r\nline", ".", "*"] {
            #expect(try name(Array(text.utf8)) == text)
        }
    }

    @Test("Filling and elements behind the name are tolerated")
    func behind() throws {
        let long = [UInt8](repeating: 0x41, count: 300)
        #expect(try name(long) == String(repeating: "A", count: 300))
        #expect(try name([0x41], filling: [UInt8](repeating: 0xFF, count: 290)) == "A")
        #expect(try name([0x41], filling: [0, 0]) == "A")
        #expect(try name([0x41], more: [5, 0]) == "A")
    }

    @Test("A file that has no name is refused")
    func refused() {
        func read(_ bytes: [UInt8]) throws(ContainerError) { _ = try ContainerName(file: bytes.span) }
        #expect(throws: ContainerError.missing(.name)) { try read([]) }
        for bytes in [[0x30, 0], [0x30, 2, 0x0C, 0], [0x30, 1, 0x16], [0x30, 3, 0x16, 5, 0x41]] as [[UInt8]] {
            #expect(throws: ContainerError.damaged(.name, .encoding)) { try read(bytes) }
        }
        #expect(throws: ContainerError.damaged(.name, .encoding)) { try read([UInt8](repeating: 0xFF, count: 300)) }
        #expect(throws: ContainerError.damaged(.name, .length)) { try read([0x30, 5, 0x16, 1]) }
        #expect(throws: ContainerError.damaged(.name, .filling)) { try read([0x30, 2, 0x16, 0, 0x41]) }
    }
}
