// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("T=0 (Card, 2; ISO/IEC 7816-3, 12.2)")
struct ByteProtocolTests {
    @Test("The answer to reset says T=0, and no commands of T=1 are spoken")
    func reset() throws {
        #expect(Identity.sc.atr.hex == "3b9c96005275746f6b656e4543507363")
        let card = try EmulatedCard(.sc)
        #expect(card.send("00A4080002 1000 00") == "6700", "a command has data or Le")
    }

    @Test("A command with data offers what it has to say to GET RESPONSE, in one piece or several")
    func getResponse() throws {
        let card = try EmulatedCard(.sc)
        #expect(card.send("00A4080002 1000") == "6126")
        let whole = card.send("00C0000026")
        #expect(whole.hasPrefix("6f24") && data(whole).count == 2 * 0x26 && status(whole) == "9000")
        #expect(card.send("00C0000026") == "6985", "it is gone")
        #expect(card.send("00A4080002 1000") == "6126")
        #expect(card.send("00C0000004") == "6f2480026122")
        #expect(card.send("00C0000030") == "6c22")
        #expect(card.send("00C0000022").hasSuffix("9000"))
        #expect(card.send("00A4080002 1000") == "6126")
        #expect(status(card.send("00CA018108")) == "9000", "another command")
        #expect(card.send("00C0000026") == "6985", "ends the wait")
        #expect(card.send("00A4080002 9999") == "6a82")
    }

    @Test("Where fewer bytes come than P3 expects, 6Cxx says how many, and the command is not executed twice")
    func wrongLength() throws {
        let card = try EmulatedCard(.sc, serial: [0x0E, 0x12, 0x34, 0x56])
        #expect(card.send("00CA018110") == "6c08")
        #expect(card.send("00CA018108") == "000000000e1234569000")
        #expect(card.send("00CA018104") == "000000009000")
        #expect(card.send("00CA018100") == "6108", "P3 = 00 may stand for no data")
        #expect(card.send("00C0000000") == "000000000e1234569000")
        card.loginUser()
        for file in [KeyFiles.privateKey("01"), KeyFiles.publicKey("01")] {
            #expect(card.send("00E0000027" + file) == "9000")
        }
        #expect(card.send("0046800150") == "6c40")
        #expect(data(card.send("0046800140")).count == 128)
        #expect(card.changes == 3, "two files, and a key that was made once")
    }

    @Test("Commands without data and answer come with P3 = 00 or without")
    func parameterless() throws {
        let card = try EmulatedCard(.sc)
        for command in ["80400000", "8040000000", "80844E19", "80844E1900"] { #expect(card.send(command) == "9000") }
        #expect(card.send("00200002") == "63ca")
        #expect(card.send("0020000200") == "63ca")
        #expect(card.send("004000") == "6700")
        #expect(card.send("00A408000410") == "6700")
    }

    @Test("Power off forgets what waits")
    func powerOff() throws {
        let card = try EmulatedCard(.sc)
        #expect(card.send("00A4080002 1000") == "6126")
        card.powerOff()
        #expect(card.send("00C0000026") == "6985")
    }
}
