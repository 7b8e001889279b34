// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("Identification (Card, 1 and 5)")
struct IdentificationTests {
    @Test("The answers to reset are those of the Rutoken family, with a right check byte")
    func atr() {
        #expect(Identity.usb.atr.hex == "3b8b015275746f6b656e20445320c1")
        #expect(Identity.bt.atr.hex == "3b8b015275746f6b656e44534254d7")
    }

    @Test("The vendor library's eleven commands at every connect are answered as a token answers them")
    func connect() throws {
        let card = try EmulatedCard.usb()
        let information = card.send("8071000000")
        #expect(data(information).count == 2 * 189)
        #expect(information.hasPrefix("4038011a01000143042202000f000000000e12345600100080"))
        #expect(information.hasSuffix("51030101039000"))
        #expect(card.send("00CA018108") == "000000000e1234569000")
        #expect(card.send("00CA01890C") == "0143100122020222020400009000")
        #expect(card.send("8040000000") == "9000")
        #expect(card.send("00CA013204") == "000000009000")
        for name in ["00FA", "FFFD", "FFFE"] { #expect(card.send("00A4080406 1000 1002" + name + "00") == "6a82") }
        for page in ["10", "20", "30"] { #expect(card.send("8059\(page)0000") == "6d00") }
    }

    @Test("Parameterless commands may come with and without Le")
    func parameterless() throws {
        let card = try EmulatedCard.usb()
        for command in ["80400000", "8040000000", "80844E19", "80844E1900", "00A40300", "0022F400"] {
            let expected = command.hasPrefix("00A4") ? "6a82" : "9000"
            #expect(card.send(command) == expected, "\(command)")
        }
    }

    @Test("GET DATA gives each object of the table its natural length, and never more than Le")
    func dataObjects() throws {
        let card = try EmulatedCard.usb()
        let pin = "62248506010680aa000082021000830200028a0105860f43010200000000ff00000000000000"
        #expect(card.send("00CA010226") == pin + "9000")
        #expect(card.send("00CA010126").hasPrefix("62248506010680aa000082021000830200018a0105860f43ff01"))
        for (tag, count) in [("85", 128), ("F1", 32), ("8A", 4), ("72", 72), ("62", 4), ("81", 8)] {
            #expect(data(card.send("00CA01\(tag)00")).count == 2 * count, "\(tag)")
            #expect(data(card.send("00CA01\(tag)03")).count == 2 * 3, "\(tag)")
        }
        #expect(card.send("00CA018A04") == "000155c09000", "87 488 bytes are free after a format")
        #expect(card.send("00CA017B00") == "6a88", "the journal is empty")
        #expect(card.send("00CA01AA00") == "6a88")
        #expect(card.send("00CA028100") == "6a86")
        #expect(card.send("00CA0181") == "6700")
        #expect(card.send("807E000004") == "a56746119000")
    }

    @Test("The value of a PIN changes with a format and not otherwise")
    func pinValue() throws {
        let card = try EmulatedCard.usb()
        let before = card.send("807E320104")
        #expect(before == card.send("807E320104") && before != card.send("807E310104"))
        #expect(card.send("808A0000") == "9000")
        #expect(before != card.send("807E320104"))
    }

    @Test("Unknown instructions, classes, channels and secure messaging have their own status words")
    func unknown() throws {
        let card = try EmulatedCard.usb()
        for (command, expected) in [
            ("00FF0000", "6d00"), ("8055010206", "6d00"), ("8056030020", "6d00"), ("80CA470000", "6d00"),
            ("FF000000", "6e00"), ("40840000 08", "6e00"), ("0184000008", "6881"), ("0C84000008", "6882"),
            ("0484000008", "6882"), ("00C0000010", "6985"),
            ("00840000000100", "6700"), ("00B00000000500", "6700"), ("00", "6700"), ("008400000102", "6700"),
        ] { #expect(card.send(command) == expected, "\(command)") }
    }

    @Test("GET CHALLENGE gives as many random bytes as asked for, up to 256")
    func challenge() throws {
        let card = try EmulatedCard.usb()
        #expect(data(card.send("0084000000")).count == 512)
        #expect(card.send("0084000010") != card.send("0084000010"))
        #expect(card.send("00840000") == "6700")
    }

    @Test("A serial number has four or eight bytes; a random one lies in the range of emulators")
    func serial() throws {
        #expect(try EmulatedCard(.usb).serial.starts(with: [0, 0, 0, 0, 0x0E]))
        #expect(try EmulatedCard(.usb, serial: [1, 2, 3, 4, 5, 6, 7, 8]).serial == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(throws: EmulatorError.invalidSerial) { try EmulatedCard(.usb, serial: [1, 2, 3]) }
    }

    @Test("The label lies in the file of the vendor's format")
    func label() throws {
        let card = try EmulatedCard(.usb, label: "Ключ")
        #expect(card.label == "Ключ")
        #expect(status(card.send("00A4080006 1000 1000 1000 00")) == "9000")
        #expect(card.send("00B0000010") == "544e030000000800" + [UInt8]("Ключ".utf8).hex + "9000")
        #expect(throws: EmulatorError.invalidLabel) {
            try EmulatedCard(.usb, label: String(repeating: "x", count: 256))
        }
        #expect(try EmulatedCard.usb().send("00A4080006 1000 1000 1000 00") == "6a82")
    }
}
