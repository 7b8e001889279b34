// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TestSupport
import Testing

@Suite("Command APDUs (ISO/IEC 7816-4, 5.1)")
struct CommandTests {
    @Test(
        "each of the seven cases is written and read back",
        arguments: [
            ("00 A4 03 00", 0, nil),
            ("00 B0 00 00 10", 0, 16),
            ("00 84 00 00 00", 0, 256),
            ("00 20 00 02 02 31 32", 2, nil),
            ("00 A4 08 04 02 10 00 00", 2, 256),
            ("00 84 00 00 00 01 2C", 0, 300),
            ("00 84 00 00 00 00 00", 0, 65_536),
        ] as [(String, Int, Int?)])
    func cases(_ hex: String, _ count: Int, _ ne: Int?) throws {
        let bytes = [UInt8](hex: hex)
        let command = try Command(parsing: bytes.span)
        #expect(command.data.count == count)
        #expect(command.ne == ne)
        #expect(try Array(command.encoded()) == bytes)
    }

    @Test("a card that leaves behind the first part of its answer may have executed the command")
    func parts() throws {
        let command = try Command(parsing: [UInt8](hex: "002A9E9A010010").span)
        let card = ScriptedCard(["002a9e9a010010": "6110"])
        card.expect("00c0000010", error: .removed(sent: false))
        card.expect("002a9e9a010010", reply: "6110")
        card.expect("00c0000010", error: .removed(sent: false))
        card.expect("002a9e9a010010", error: .removed(sent: false))
        #expect(throws: LinkError.removed(sent: true)) { try card.exchange(command) }
        #expect(throws: LinkError.removed(sent: true)) { _ = try card.exchangeSecret(command) }
        #expect(throws: LinkError.removed(sent: false)) { try card.exchange(command) }
        #expect(card.isFinished)
    }

    @Test("data of 256 bytes takes the extended form, with and without Le")
    func extended() throws {
        let data = [UInt8](repeating: 1, count: 256)
        #expect(try Array(Command(0, 0xD6, 0, 0, bytes: data).encoded()) == [0, 0xD6, 0, 0, 0, 1, 0] + data)
        let bytes = try Array(Command(0, 0xD6, 0, 0, bytes: data, ne: 256).encoded())
        #expect(bytes == [0, 0xD6, 0, 0, 0, 1, 0] + data + [1, 0])
        #expect(try Command(parsing: bytes.span).data.count == 256)
    }

    @Test(
        "bytes that fit no case are refused",
        arguments: [
            "", "00 A4 03", "00 20 00 02 03 31 32", "00 20 00 02 01 31 00 00", "00 84 00 00 00 01",
            "00 D6 00 00 00 00 02 31",
        ])
    func malformed(_ hex: String) {
        #expect(throws: MalformedCommand.self) {
            _ = try Command(parsing: [UInt8](hex: hex).span).ne
        }
    }

    @Test("more than 65 535 data bytes cannot be written")
    func tooLong() {
        #expect(throws: MalformedCommand.self) {
            _ = try Command(0, 0, 0, 0, data: Secret(count: 65_536)).encoded().count
        }
    }
}

@Suite("Data objects (ISO/IEC 7816-4, 5.2.2)")
struct TLVTests {
    @Test("lengths are written and read in their shortest form", arguments: [0, 1, 127, 128, 255, 256, 65_535])
    func lengths(_ count: Int) throws {
        let value = [UInt8](repeating: 7, count: count)
        let bytes = [UInt8].object(0x82, value)
        #expect(bytes.count == count + (count < 128 ? 2 : count < 256 ? 3 : 4))
        var cursor = ByteCursor(bytes)
        #expect(try cursor.object(0x82, length: count) == value)
        try cursor.finish()
    }

    @Test(
        "a length in another form than the shortest, a wrong tag or missing bytes are refused",
        arguments: ["82 81 01 00", "82 82 00 80", "82 80", "82 83 00 00 01 00", "82 02 00", "81 00", "82"])
    func malformed(_ hex: String) {
        var cursor = ByteCursor([UInt8](hex: hex))
        #expect(throws: MalformedBytes.self) { try cursor.object(0x82) }
    }
}

extension [UInt8] {
    fileprivate init(_ secret: consuming Secret) {
        self.init()
        for index in 0..<secret.count { append(secret.bytes[index]) }
    }
}
