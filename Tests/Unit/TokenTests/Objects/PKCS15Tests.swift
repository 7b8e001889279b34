// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing
import Token

@Suite("OpenSC's directory files")
struct PKCS15Tests {
    @Test("a GOST private key of OpenSC's has a label, an identifier, its file and the parameter set")
    func gostPrivateKey() throws {
        let bytes = [UInt8](
            hex: "a437300a0c0167030206c0040102300e04010703020274030203b8020101"
                + "a1193017300c040a3f001000100060020001020101020100020100")
        let entries = PKCS15Entry.entries(in: bytes + [UInt8](repeating: 0, count: 100))
        let entry = try #require(entries.first)
        #expect(entries.count == 1)
        #expect((entry.tag, entry.label, entry.id, entry.numbers) == (0xA4, [0x67], [7], [1, 0, 0]))
        #expect((entry.isPrivate, entry.isLocal) == (true, true))
        #expect(entry.path == [0x1000, 0x1000, 0x6002, 0x0001])
    }

    @Test("the list of directory files names those that are known, and skips the others")
    func directories() {
        let bytes = [UInt8](hex: "a80a300804063f0050006005a00a300804063f0050006002") + [UInt8](repeating: 0, count: 80)
        let files = PKCS15Directories(parsing: bytes).files
        #expect(files.map(\.kind) == [.privateKeys])
        #expect(files.map(\.path) == [[0x5000, 0x6002]])
    }

    @Test("a file that is cut short or spoilt gives no more than what is whole")
    func malformed() {
        let bytes = [UInt8](
            hex: "302b30080c02637403020640300304010aa10f300d300b04063f00500003000201003030")
        for count in 0..<bytes.count {
            #expect(PKCS15Entry.entries(in: Array(bytes.prefix(count))).count <= 1)
        }
        for value in UInt8.min...UInt8.max {
            for index in bytes.indices {
                var spoilt = bytes
                spoilt[index] = value
                #expect(PKCS15Entry.entries(in: spoilt).count <= bytes.count / 2)
                #expect(PKCS15Directories(parsing: spoilt).files.count <= bytes.count / 2)
            }
        }
    }
}
