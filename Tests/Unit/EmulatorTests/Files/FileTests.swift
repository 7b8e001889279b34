// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("Files (Card, 6)")
struct FileTests {
    static let label = "62218202010080020010 83021000 85020000 860F43000200000000020000000000 0000"

    @Test("SELECT without Le answers bare 9000, with Le the template that P2 asks for")
    func templates() throws {
        let card = try EmulatedCard.usb()
        let body = "800200008102002082023800830210018a0105860f43020200000000ff00000000000000"
        #expect(card.send("00A4080004 10001001") == "9000")
        #expect(card.send("00A4080004 10001001 00") == "6f24" + body + "9000")
        #expect(card.send("00A4080404 10001001 FF") == "6224" + body + "9000")
    }

    @Test("SELECT by identifier looks among the children first, then at the MF")
    func byIdentifier() throws {
        let card = try EmulatedCard(.usb, label: "x")
        #expect(status(card.send("00A4000002 1000 00")) == "9000")
        #expect(status(card.send("00A4000002 1000 00")) == "9000", "1000 contains 1000")
        let label = card.send("00A4000002 1000 00")
        #expect(label.hasPrefix("6f248002000981020029820201008302100" + "0"), "which contains the file 1000")
        #expect(card.send("00A4000002 6002 00").hasPrefix("6f24"), "a file's directory stays current")
        #expect(card.send("00A4000002 3F00 00").hasPrefix("6f24800200008102002082023800" + "83023f00"))
        #expect(card.send("00A4000002 6002 00") == "6a82")
        #expect(card.send("00A4080004 3F001000 00") == "6a82", "a path does not begin with 3F00")
    }

    @Test("A failed SELECT leaves the current file as it was")
    func failedSelect() throws {
        let card = try EmulatedCard(.usb, label: "xyz")
        #expect(card.send("00A4080006 1000 1000 1000") == "9000")
        #expect(card.send("00A4080004 1000 9999") == "6a82")
        #expect(card.send("00B0000803") == "78797a9000")
    }

    @Test("LIST gives the children in the order of their creation and ends with 6A82")
    func list() throws {
        let card = try EmulatedCard.usb()
        #expect(card.send("00A4080004 10001000") == "9000")
        var names: [String] = []
        var answer = card.send("00A4000000")
        while status(answer) == "9000", names.count < 20 {
            let name = [UInt8]([UInt8](hex: answer)[16..<18]).hex
            names.append(name)
            #expect(card.send("00A4030000").hasSuffix("9000"), "the child became current")
            answer = card.send("00A4000202" + name + "00")
        }
        #expect(answer == "6a82")
        #expect(names == ["6001", "6002", "6003", "6004", "6005", "6006", "6007", "6008"])
        #expect(card.send("00A4080004 10001004") == "9000")
        #expect(card.send("00A4000000") == "6a82", "an empty directory")
    }

    @Test("The vendor's tree is there, and what is absent on real tokens is absent")
    func tree() throws {
        let card = try EmulatedCard.usb()
        for path in [
            "6000", "1000", "10001000", "100010006008", "10001001", "100010018001", "1000100180018001", "100010018002",
            "100010011001", "10001002FFF0", "10001002FFF00013", "10001003", "10001004",
        ] {
            #expect(status(card.send("00A40804" + [UInt8(path.count / 2)].hex + path + "00")) == "9000", "\(path)")
        }
        for path in ["10001000FFF0", "1000100180028000", "100010011001FFFE", "10001001800180 01FFFE"] {
            let bytes = [UInt8](hex: path)
            #expect(card.send("00A40804" + [UInt8(bytes.count)].hex + path + "00") == "6a82", "\(path)")
        }
    }

    @Test("CREATE, UPDATE, READ and DELETE of a file follow its conditions")
    func lifeCycle() throws {
        let card = try EmulatedCard.usb()
        card.send("00A4080004 10001000")
        #expect(card.send("00E0000023" + Self.label) == "6982", "the user creates")
        #expect(card.loginUser() == "9000")
        #expect(card.send("00E0000023" + Self.label) == "9000")
        #expect(card.send("00E0000023" + Self.label) == "6a89")
        #expect(card.send("00D6000008 544E030000000800") == "9000", "a new file is the current one")
        #expect(card.send("00D6000808 4142434445464748") == "9000")
        #expect(card.send("00D6000901 49") == "9000")
        #expect(card.send("00D600100100") == "6a84", "a file never grows")
        card.send("80400000")
        #expect(card.send("00D6000001 00") == "6982")
        #expect(card.send("00B0000808") == "4149434445464748" + "9000", "everybody reads")
        #expect(card.send("00B0000A00") == "434445464748" + "6282", "a read past the end is short")
        #expect(card.send("00B0001001") == "6282")
        #expect(card.send("00B0001101") == "6b00")
        #expect(card.send("00B0800001") == "6a86")
        #expect(card.send("00E4000002 1000") == "6982")
        #expect(card.loginUser() == "9000")
        #expect(card.send("00E4000002 1000") == "9000")
        #expect(card.send("00A4080006 100010001000") == "6a82")
        #expect(card.send("00B0000001") == "6a82", "the current file is gone")
    }

    @Test("A file takes its size and 32 bytes of memory, a directory 32, a key its size and 64")
    func memory() throws {
        let card = try EmulatedCard.usb()
        func free() -> Int { [UInt8](hex: data(card.send("00CA018A04"))).reduce(0) { $0 << 8 | Int($1) } }
        let before = free()
        card.loginUser()
        card.send("00A4080004 10001001")
        #expect(card.send("00E000001F 6F1D 80020100 82020100 83024001 860F43000200000000020000000000 0000") == "9000")
        #expect(free() == before - 256 - 32)
        #expect(card.send("00E000001F 6F1D 80020000 82023800 83024002 860F43020200000000020000000000 0000") == "9000")
        #expect(free() == before - 256 - 64)
        #expect(card.send("00E0000027" + KeyFiles.privateKey("07")) == "9000")
        #expect(free() == before - 256 - 64 - 96)
        card.send("00A4080004 10001001")
        for name in ["4003", "4004"] {
            let answer = card.send("00E000001F 6F1D 80027000 82020100 8302\(name) 860F43000200000000020000000000 0000")
            #expect(answer == "9000")
        }
        let full = card.send("00E000001F 6F1D 80027FFF 82020100 83024005 860F43000200000000020000000000 0000")
        #expect(full == "6a84")
    }

    @Test("CREATE refuses what is not a template: 6A80")
    func badTemplates() throws {
        let card = try EmulatedCard.usb()
        card.loginUser()
        card.send("00A4080004 10001001")
        for body in [
            "", "6F00", "641D80020100820201008302400186 0F43000200000000020000000000 0000",
            "6F1C 80020100 82020100 83024001 860E430002000000000200000000 0000",
            "6F1D 80020100 82020200 83024001 860F43000200000000020000000000 0000",
            "6F1D 80020100 82020100 83023F00 860F43000200000000020000000000 0000",
            "6F1D 80020100 82020100 83023FFF 860F43000200000000020000000000 0000",
            "6F1E 80020100 82020100 83024001 860F43000200000000020000000000 0000",
            "6F21 80020100 80020100 82020100 83024001 860F43000200000000020000000000 0000",
            "6225 80020021 82021000 83020001 860F47020202000000020000000000 0000 85060320 00AA0000",
            "6225 80020020 82021000 83020001 860F47020202000000020000000000 0000 85060390 00AA0000",
            "6225 80020287 82021000 83020001 860F47020202000000020000000000 0000 85062300 00AA0000",
            "6225 80020008 82021000 83020003 860F43FF01000000000000000000 000000 85060106 00AA0000",
        ] {
            let count = [UInt8](hex: body).count
            let answer = card.send("00E00000" + [UInt8(count)].hex + body)
            #expect(count == 0 ? answer == "6700" || answer == "6a80" : answer == "6a80", "\(body)")
        }
    }

    @Test("Reading is free where no condition is set; everything else is nobody's")
    func withoutConditions() throws {
        let card = try EmulatedCard.usb()
        card.loginUser()
        card.send("00A4080004 10001001")
        #expect(card.send("00E000001F 6F1D 80020004 82020100 83024001 860F00000000000000000000000000 0000") == "9000")
        #expect(card.send("00B0000004") == "000000009000")
        #expect(card.send("00D6000001 00") == "6982")
        #expect(card.send("00E4000002 4001") == "6982")
    }

    @Test("A directory that is not empty stays")
    func nonEmptyDirectory() throws {
        let card = try EmulatedCard.usb()
        card.loginUser()
        card.send("00A4080004 10001001")
        #expect(card.send("00E000001F 6F1D 80020000 82023800 83024002 860F43020200000000020000000000 0000") == "9000")
        #expect(card.send("00E000001F 6F1D 80020001 82020100 83024003 860F43000200000000020000000000 0000") == "9000")
        card.send("00A4080004 10001001")
        #expect(card.send("00E4000002 4002") == "6a80")
        card.send("00A4080006 1000 1001 4002")
        #expect(card.send("00E4000002 4003") == "9000")
        card.send("00A4080004 10001001")
        #expect(card.send("00E4000002 4002") == "9000")
        #expect(card.send("00E4000002 8001") == "6982", "a system directory is never deleted")
    }
}
