// SPDX-License-Identifier: Apache-2.0
import APDU
import PCSC
import Testing

@Suite("Requests to readers with a PIN pad (PC/SC part 10)")
struct PINPadTests {
    @Test("PIN_VERIFY_STRUCTURE of a PIN without padding: no size, Lc 00, the longest and the shortest little-endian")
    func verify() {
        let entry = PINEntry(0x00, 0x20, 0x00, 0x02, .present(6...15))
        #expect(entry.feature == .verifyPIN)
        #expect(
            entry.structure(hasDisplay: false) == [
                30, 30, 0x82, 0x00, 0x00, 15, 6, 0x02, 0x00, 0x09, 0x04, 0x00, 0x00, 0x00, 0x00, 5, 0, 0, 0,
                0x00, 0x20, 0x00, 0x02, 0x00,
            ])
        #expect(entry.structure(hasDisplay: true)[8] == 0xFF)
        #expect(PINEntry(0x00, 0x20, 0x00, 0x02, .present(1...999)).structure(hasDisplay: false)[5] == 255)
    }

    @Test("PIN_MODIFY_STRUCTURE of a new PIN: typed twice, behind the bytes that come before it, with its size")
    func modify() {
        let entry = PINEntry(0x00, 0x24, 0x01, 0x02, .new(count: 8, after: [0x80, 0x02, 0x00, 8, 0xA6, 8]))
        #expect(entry.feature == .modifyPIN)
        let command: [UInt8] =
            [0x00, 0x24, 0x01, 0x02, 14, 0x80, 0x02, 0x00, 8, 0xA6, 8] + .init(repeating: 0xFF, count: 8)
        let fields: [UInt8] = [
            30, 30, 0x82, 0x08, 0x00, 0x00, 6, 8, 8, 0x01, 0x02, 0x00, 0x09, 0x04, 0x01, 0x02, 0x02, 0x00, 0x00, 0x00,
            19, 0, 0, 0,
        ]
        #expect(entry.structure(hasDisplay: false) == fields + command)
        #expect(entry.structure(hasDisplay: true)[11] == 0x02)
    }

    @Test("The reader says which PINs it takes, and whether it has a display; a greatest length of 0 is none")
    func properties() {
        let all = ReaderProperties(parsing: [0x01, 2, 0x10, 0x02, 0x06, 1, 4, 0x07, 1, 12])
        #expect(all.shortestPIN == 4 && all.longestPIN == 12 && all.hasDisplay)
        let none = ReaderProperties(parsing: [0x01, 2, 0, 0, 0x07, 1, 0])
        #expect(none.shortestPIN == nil && none.longestPIN == nil && !none.hasDisplay)
    }

    @Test(
        "A reader without limits takes 1 to 15 digits, and wrong limits leave one length",
        arguments: [
            (nil, nil, 1...15), (4, 12, 4...12), (0, nil, 1...15), (20, nil, 20...20), (8, 4, 8...8),
        ] as [(Int?, Int?, ClosedRange<Int>)])
    func limits(_ shortest: Int?, _ longest: Int?, _ lengths: ClosedRange<Int>) {
        #expect(PINPad(shortest: shortest, longest: longest).lengths == lengths)
    }
}
