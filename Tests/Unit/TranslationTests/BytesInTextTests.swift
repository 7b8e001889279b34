// SPDX-License-Identifier: Apache-2.0
import Secrets
import Testing
import Translation

/// Bytes in texts.
@Suite struct BytesInTextTests {
    private let all = (0...255).map { UInt8($0) }

    @Test("each byte is two hexadecimal digits")
    func hexadecimal() {
        #expect(([0x00, 0x0A, 0xB0, 0xFF] as [UInt8]).hexadecimal == "000ab0ff" && [UInt8]().hexadecimal == "")
        #expect(all.suffix(2).hexadecimal == "feff")
        #expect(0x4A2.hexadecimal() == "4a2" && 0x4A2.hexadecimal(digits: 4) == "04a2" && 0.hexadecimal() == "0")
    }

    @Test("pairs of hexadecimal digits of ASCII are bytes; any other text is not")
    func hexadecimalBytes() {
        #expect([UInt8](hexadecimal: all.hexadecimal.utf8) == all && [UInt8](hexadecimal: "fF".utf8) == [0xFF])
        #expect([UInt8](hexadecimal: "".utf8) == [])
        for text in ["0", "0g", "+1", "0 1", "000", "\u{FF11}\u{FF11}"] {
            #expect([UInt8](hexadecimal: text.utf8) == nil, "\(text)")
        }
    }

    @Test("unreserved characters of an address stay as they are, and all other bytes are encoded")
    func encoding() {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        #expect(PercentEncoding.encoded(unreserved.utf8) == unreserved)
        #expect(PercentEncoding.encoded("a b+ж/%".utf8) == "a%20b%2B%D0%B6%2F%25")
        #expect(all.allSatisfy { PercentEncoding.encoded([$0]).utf8.count == (unreserved.utf8.contains($0) ? 1 : 3) })
    }

    @Test("all bytes come back from an address; digits can be small or capital letters")
    func decoding() {
        #expect(PercentEncoding.decoded(PercentEncoding.encoded(all)[...]) == all)
        #expect(PercentEncoding.decoded("%4a%4A+") == [0x4A, 0x4A, 0x2B])
        #expect(PercentEncoding.decoded("+%2B", plusIsSpace: true) == [0x20, 0x2B])
    }

    @Test(
        "a percent sign without two hexadecimal digits is refused",
        arguments: ["%", "%4", "x%4", "%G0", "%0g", "%+5", "%-0"])
    func malformed(_ text: String) {
        #expect(PercentEncoding.decoded(text[...]) == nil)
    }
}
